// The reading half of hdf5_handle.h.
#include <algorithm>
#include <array>
#include <cstring>

#include "hdf5_detail.h"
#include "hdf5_handle.h"

namespace refran::runner::hdf5 {
namespace {

std::vector<std::uint64_t> extents_of(const Handle& space) {
  const int rank = check(H5Sget_simple_extent_ndims(space.id()), "cannot read extents");
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr), "cannot read extents");
  return {extents.begin(), extents.end()};
}

bool is_variable_text(const Handle& type) {
  return H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) > 0;
}

std::optional<Stored> stored_as(const Handle& type) {
  if (is_variable_text(type)) return Stored::text;
  for (const Stored stored :
       {Stored::float32, Stored::float64, Stored::int32, Stored::int64, Stored::uint64}) {
    if (H5Tequal(type.id(), type_of(stored).id()) > 0) return stored;
  }
  if (H5Tget_class(type.id()) == H5T_STRING && H5Tget_size(type.id()) == size_of(Stored::digest)) {
    return Stored::digest;
  }
  return std::nullopt;
}

// Takes over the texts HDF5 allocated.
std::vector<std::string> taken(std::vector<char*>& pointers, const Handle& type,
                               const Handle& space) {
  std::vector<std::string> texts;
  texts.reserve(pointers.size());
  for (const char* pointer : pointers) texts.emplace_back(pointer == nullptr ? "" : pointer);
  H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, pointers.data());
  return texts;
}

std::uint64_t count_of(const Handle& space) {
  return static_cast<std::uint64_t>(
      check(H5Sget_simple_extent_npoints(space.id()), "cannot read extents"));
}

Attribute read_text_attribute(const Handle& attribute, const Handle& type) {
  const Handle space = own(H5Aget_space(attribute.id()), "cannot read an attribute");
  if (!is_variable_text(type)) {
    std::string text(H5Tget_size(type.id()) * count_of(space), '\0');
    check(H5Aread(attribute.id(), type.id(), text.data()), "cannot read an attribute");
    return text.substr(0, text.find('\0'));
  }
  std::vector<char*> pointers(count_of(space));
  const Handle& memory = type_of(Stored::text);
  check(H5Aread(attribute.id(), memory.id(), pointers.data()), "cannot read an attribute");
  std::vector<std::string> texts = taken(pointers, memory, space);
  if (extents_of(space).empty() && texts.size() == 1) return std::move(texts.front());
  return texts;
}

template <class T>
T read_scalar(const Handle& attribute, hid_t type) {
  T value{};
  check(H5Aread(attribute.id(), type, &value), "cannot read an attribute");
  return value;
}

// An attribute of a kind the format has none of reads as this text.
constexpr const char* kForeign = "(not an attribute of this format)";

Attribute read_attribute(const Handle& attribute) {
  const Handle type = own(H5Aget_type(attribute.id()), "cannot read an attribute");
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind == H5T_STRING) return read_text_attribute(attribute, type);
  const Handle space = own(H5Aget_space(attribute.id()), "cannot read an attribute");
  if (count_of(space) != 1) return kForeign;
  if (kind == H5T_FLOAT) return read_scalar<double>(attribute, H5T_NATIVE_DOUBLE);
  if (kind != H5T_INTEGER) return kForeign;
  if (H5Tget_size(type.id()) <= sizeof(std::int32_t))
    return read_scalar<std::int32_t>(attribute, H5T_NATIVE_INT32);
  return read_scalar<std::uint64_t>(attribute, H5T_NATIVE_UINT64);
}

constexpr std::array<std::string_view, 5> kScaleAttributes = {
    "CLASS", "DIMENSION_LABELS", "DIMENSION_LIST", "NAME", "REFERENCE_LIST"};

}  // namespace

Handle open_file(const std::filesystem::path& file) {
  silence();
  return own(H5Fopen(file.c_str(), H5F_ACC_RDONLY, file_access().id()), "cannot open the file");
}

Handle open_object(const Handle& parent, const std::string& path) {
  return own(H5Oopen(parent.id(), path.empty() ? "/" : path.c_str(), H5P_DEFAULT), "cannot open",
             path);
}

std::vector<Child> children(const Handle& group) {
  const Handle creation = own(H5Gget_create_plist(group.id()), "cannot list", group);
  unsigned order = 0;
  check(H5Pget_link_creation_order(creation.id(), &order), "cannot list", group);
  const H5_index_t index =
      (order & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  H5G_info_t info{};
  check(H5Gget_info(group.id(), &info), "cannot list", group);
  std::vector<Child> children;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const ssize_t size =
        H5Lget_name_by_idx(group.id(), ".", index, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
    Child child{std::string(static_cast<std::size_t>(check(size, "cannot list", group)), '\0'),
                Kind::other,
                {}};
    H5Lget_name_by_idx(group.id(), ".", index, H5_ITER_INC, i, child.name.data(),
                       child.name.size() + 1, H5P_DEFAULT);
    child.object = Handle(H5Oopen(group.id(), child.name.c_str(), H5P_DEFAULT));
    const H5I_type_t type = child.object.id() < 0 ? H5I_BADID : H5Iget_type(child.object.id());
    if (type == H5I_GROUP) child.kind = Kind::group;
    if (type == H5I_DATASET) child.kind = Kind::dataset;
    children.push_back(std::move(child));
  }
  return children;
}

DatasetShape shape_of(const Handle& dataset) {
  const Handle type = own(H5Dget_type(dataset.id()), "cannot read", dataset);
  const Handle space = own(H5Dget_space(dataset.id()), "cannot read", dataset);
  return {stored_as(type), extents_of(space)};
}

bool is_scale(const Handle& dataset) {
  const auto kind = attribute(dataset, "CLASS");
  return kind && *kind == Attribute("DIMENSION_SCALE");
}

std::vector<Reference> scales_of(const Handle& dataset) {
  std::vector<Reference> references(shape_of(dataset).extents.size(), 0);
  if (references.empty() || H5Aexists(dataset.id(), "DIMENSION_LIST") <= 0) return references;
  const Handle list = own(H5Aopen(dataset.id(), "DIMENSION_LIST", H5P_DEFAULT),
                          "cannot read the scales of", dataset);
  const Handle space = own(H5Aget_space(list.id()), "cannot read the scales of", dataset);
  if (count_of(space) != references.size()) return references;
  const Handle type = own(H5Tvlen_create(H5T_STD_REF_OBJ), "cannot make a type");
  std::vector<hvl_t> lists(references.size());
  check(H5Aread(list.id(), type.id(), lists.data()), "cannot read the scales of", dataset);
  for (std::size_t dim = 0; dim < lists.size(); ++dim) {
    if (lists[dim].len > 0) std::memcpy(&references[dim], lists[dim].p, sizeof(Reference));
  }
  H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, lists.data());
  return references;
}

std::vector<std::string> dimension_labels(const Handle& dataset) {
  std::vector<std::string> labels(shape_of(dataset).extents.size());
  const auto value = attribute(dataset, "DIMENSION_LABELS");
  if (!value) return labels;
  const auto* texts = std::get_if<std::vector<std::string>>(&*value);
  return texts != nullptr && texts->size() == labels.size() ? *texts : labels;
}

std::optional<Attribute> attribute(const Handle& object, const std::string& name) {
  if (H5Aexists(object.id(), name.c_str()) <= 0) return std::nullopt;
  return read_attribute(
      own(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), "cannot read an attribute of", object));
}

std::vector<std::pair<std::string, Attribute>> attributes(const Handle& object) {
  std::vector<std::pair<std::string, Attribute>> found;
  for (hsize_t i = 0;; ++i) {
    const Handle attribute(
        H5Aopen_by_idx(object.id(), ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT));
    if (attribute.id() < 0) break;
    std::string name(static_cast<std::size_t>(H5Aget_name(attribute.id(), 0, nullptr)), '\0');
    H5Aget_name(attribute.id(), name.size() + 1, name.data());
    if (std::find(kScaleAttributes.begin(), kScaleAttributes.end(), name) != kScaleAttributes.end())
      continue;
    found.emplace_back(name, read_attribute(attribute));
  }
  return found;
}

void read_numbers(const Handle& dataset, Stored stored, const Box& box,
                  std::span<std::byte> values) {
  if (values.size() != box.size() * size_of(stored))
    throw std::logic_error("read_numbers: size of the values");
  if (values.empty()) return;
  const auto [in_file, in_memory] = select(dataset, box);
  check(H5Dread(dataset.id(), type_of(stored).id(), in_memory.id(), in_file.id(), H5P_DEFAULT,
                values.data()),
        "cannot read", dataset);
}

std::vector<std::string> read_texts(const Handle& dataset, const Box& box) {
  std::vector<char*> pointers(box.size());
  if (pointers.empty()) return {};
  const auto [in_file, in_memory] = select(dataset, box);
  const Handle& type = type_of(Stored::text);
  check(H5Dread(dataset.id(), type.id(), in_memory.id(), in_file.id(), text_transfer().id(),
                pointers.data()),
        "cannot read", dataset);
  return taken(pointers, type, in_memory);
}

}  // namespace refran::runner::hdf5
