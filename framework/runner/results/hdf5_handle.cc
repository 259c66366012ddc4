// Handles, errors, types, and the writing half of hdf5_handle.h.
#include "hdf5_handle.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "hdf5_detail.h"

namespace refran::runner::hdf5 {

namespace {

// Handles close all that is opened. HDF5 1.10 would do so once more on exit, and crash where a full
// disk had kept a dataset from being closed. To be said before its first use.
[[maybe_unused]] const herr_t kNoExitHandler = H5dont_atexit();

// The innermost cause HDF5 noted, and the system's own words where a system call failed.
struct Cause {
  std::string innermost;
  std::string system;
};

herr_t note_cause(unsigned position, const H5E_error2_t* error, void* data) {
  auto& cause = *static_cast<Cause*>(data);
  const std::string text = error->desc == nullptr ? "" : error->desc;
  if (position == 0) cause.innermost = text;
  constexpr std::string_view kSystem = "error message = '";
  if (const auto found = text.find(kSystem); found != std::string::npos && cause.system.empty()) {
    const auto begin = found + kSystem.size();
    cause.system = text.substr(begin, text.find('\'', begin) - begin);
  }
  return 0;
}

std::string cause() {
  Cause cause;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_cause, &cause);
  return cause.system.empty() ? cause.innermost : cause.system;
}

[[noreturn]] void throw_error(std::string_view what, std::string_view name,
                              const std::string& cause) {
  std::string text(what);
  if (!name.empty()) text.append(" ").append(name);
  throw Error(cause.empty() ? text : text + ": " + cause);
}

// The path of an object within its file, without the leading '/'; "" for the root.
std::string path_of(const Handle& object) {
  const ssize_t size = H5Iget_name(object.id(), nullptr, 0);
  if (size <= 0) return "";
  std::string path(static_cast<std::size_t>(size) + 1, '\0');
  H5Iget_name(object.id(), path.data(), path.size());
  path.pop_back();
  return path.substr(1);
}

// One piece, compact headers: a few attributes and links need no index of their own.
constexpr unsigned kMostAttributes = 32;
constexpr unsigned kMostCompactLinks = 64;

void set_group_properties(const Handle& list) {
  check(H5Pset_obj_track_times(list.id(), false), "cannot set up a group");
  check(H5Pset_link_creation_order(list.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
        "cannot set up a group");
  check(H5Pset_link_phase_change(list.id(), kMostCompactLinks, kMostCompactLinks / 2),
        "cannot set up a group");
  check(H5Pset_attr_phase_change(list.id(), kMostAttributes, kMostAttributes / 2),
        "cannot set up a group");
}

Handle make_file_access() {
  Handle list = own(H5Pcreate(H5P_FILE_ACCESS), "cannot set up HDF5");
  check(H5Pset_libver_bounds(list.id(), H5F_LIBVER_V18, H5F_LIBVER_V110), "cannot set up HDF5");
  check(H5Pset_fclose_degree(list.id(), H5F_CLOSE_STRONG), "cannot set up HDF5");
  // Locks fail on many network file systems; nobody reads a file before it has its final name.
#if H5_VERSION_GE(1, 10, 7)
  check(H5Pset_file_locking(list.id(), false, true), "cannot set up HDF5");
#else
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
#endif
  return list;
}

Handle make_group_creation() {
  Handle list = own(H5Pcreate(H5P_GROUP_CREATE), "cannot set up a group");
  set_group_properties(list);
  return list;
}

Handle make_dataset_creation(bool fills) {
  Handle list = own(H5Pcreate(H5P_DATASET_CREATE), "cannot set up a dataset");
  check(H5Pset_obj_track_times(list.id(), false), "cannot set up a dataset");
  check(H5Pset_attr_phase_change(list.id(), kMostAttributes, kMostAttributes / 2),
        "cannot set up a dataset");
  if (!fills) check(H5Pset_fill_time(list.id(), H5D_FILL_TIME_NEVER), "cannot set up a dataset");
  return list;
}

Handle make_text_transfer() {
  constexpr std::size_t kBytes = 16 << 10;
  Handle list = own(H5Pcreate(H5P_DATASET_XFER), "cannot set up HDF5");
  check(H5Pset_buffer(list.id(), kBytes, nullptr, nullptr), "cannot set up HDF5");
  return list;
}

Handle copy_of(hid_t type) { return own(H5Tcopy(type), "cannot make a type"); }

Handle make_text_type() {
  Handle type = copy_of(H5T_C_S1);
  constexpr auto kVariable =
      std::numeric_limits<std::size_t>::max();  // H5T_VARIABLE, whose macro is a C cast
  check(H5Tset_size(type.id(), kVariable), "cannot make a type");
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "cannot make a type");
  return type;
}

Handle make_digest_type() {
  Handle type = copy_of(H5T_C_S1);
  check(H5Tset_size(type.id(), size_of(Stored::digest)), "cannot make a type");
  check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "cannot make a type");
  return type;
}

// An attribute of the given type and space, written at once.
void write_attribute(const Handle& object, const std::string& name, const Handle& file_type,
                     const Handle& memory_type, const Handle& space, const void* value) {
  const Handle attribute = own(
      H5Acreate2(object.id(), name.c_str(), file_type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
      "cannot create an attribute of", object);
  check(H5Awrite(attribute.id(), memory_type.id(), value), "cannot write an attribute of", object);
}

void write_text_list(const Handle& object, const std::string& name,
                     std::span<const std::string> texts) {
  std::vector<const char*> pointers(texts.size());
  std::transform(texts.begin(), texts.end(), pointers.begin(),
                 [](const std::string& text) { return text.c_str(); });
  const Handle& type = type_of(Stored::text);
  write_attribute(object, name, type, type, space_of({texts.size()}), pointers.data());
}

// Null-terminated and of its own length, as the dimension scale specification wants its attributes.
void write_fixed_text(const Handle& object, const std::string& name, const std::string& text) {
  const Handle type = own(H5Tcopy(H5T_C_S1), "cannot make a type");
  check(H5Tset_size(type.id(), text.size() + 1), "cannot make a type");
  write_attribute(object, name, type, type, space_of({}), text.c_str());
}

}  // namespace

void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

void fail(std::string_view what, std::string_view name) { throw_error(what, name, cause()); }

void fail(std::string_view what, const Handle& object) {
  const std::string found = cause();  // the next call forgets it
  throw_error(what, path_of(object), found);
}

Reference reference_to(const Handle& object) {
  hobj_ref_t reference{};
  check(H5Rcreate(&reference, object.id(), ".", H5R_OBJECT, -1), "cannot refer to", object);
  return reference;
}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    reset();
    id_ = std::exchange(other.id_, kNone);
  }
  return *this;
}

void Handle::reset() noexcept {
  if (id_ >= 0) H5Idec_ref(id_);
  id_ = kNone;
}

std::size_t size_of(Stored stored) {
  switch (stored) {
    case Stored::float32:
    case Stored::int32:
      return 4;
    case Stored::digest:
      return 64;
    default:
      return 8;
  }
}

std::uint64_t Box::size() const {
  return std::accumulate(count.begin(), count.end(), std::uint64_t{1}, std::multiplies<>());
}

const Handle& file_access() {
  static const Handle& kList = *new Handle(make_file_access());
  return kList;
}

const Handle& text_transfer() {
  static const Handle& kList = *new Handle(make_text_transfer());
  return kList;
}

const Handle& type_of(Stored stored) {
  static const auto& kTypes = *new std::array<Handle, 7>{
      copy_of(H5T_IEEE_F32LE), copy_of(H5T_IEEE_F64LE), copy_of(H5T_STD_I32LE),
      copy_of(H5T_STD_I64LE),  copy_of(H5T_STD_U64LE),  make_text_type(),
      make_digest_type()};
  return kTypes[static_cast<std::size_t>(stored)];
}

Handle space_of(const std::vector<std::uint64_t>& extents) {
  if (extents.empty()) return own(H5Screate(H5S_SCALAR), "cannot make a dataspace");
  const std::vector<hsize_t> sizes(extents.begin(), extents.end());
  return own(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
             "cannot make a dataspace");
}

std::pair<Handle, Handle> select(const Handle& dataset, const Box& box) {
  Handle in_file = own(H5Dget_space(dataset.id()), "cannot read the extents of", dataset);
  Handle in_memory = space_of(box.count);
  if (!box.count.empty()) {
    const std::vector<hsize_t> start(box.start.begin(), box.start.end());
    const std::vector<hsize_t> count(box.count.begin(), box.count.end());
    check(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                              nullptr),
          "cannot select values of", dataset);
  }
  return {std::move(in_file), std::move(in_memory)};
}

NewFile::NewFile(const std::filesystem::path& file) {
  silence();
  const Handle creation = own(H5Pcreate(H5P_FILE_CREATE), "cannot set up HDF5");
  set_group_properties(creation);
  file_ = own(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation.id(), file_access().id()),
              "cannot create the file");
}

NewFile::~NewFile() { give_up(); }

void NewFile::close() {
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "cannot write the file");
  check(H5Fclose(file_.id()), "cannot close the file");
  file_.release();
}

void NewFile::give_up() noexcept {
  if (file_.id() < 0) return;
  // What HDF5 still holds goes to memory that vanishes with it, so that closing cannot fail a
  // second time.
  void* descriptor = nullptr;
  if (H5Fget_vfd_handle(file_.id(), H5P_DEFAULT, &descriptor) >= 0 && descriptor != nullptr) {
    const int nowhere = memfd_create("given-up", MFD_CLOEXEC);
    if (nowhere >= 0) {
      dup2(nowhere, *static_cast<int*>(descriptor));
      ::close(nowhere);
    }
  }
  H5Fclose(file_.release());
}

Handle create_group(const Handle& parent, const std::string& name) {
  static const Handle& kCreation = *new Handle(make_group_creation());
  return own(H5Gcreate2(parent.id(), name.c_str(), H5P_DEFAULT, kCreation.id(), H5P_DEFAULT),
             "cannot create the group", name);
}

Handle create_dataset(const Handle& parent, const std::string& name, Stored stored,
                      const Shape& shape) {
  // References to texts have to be filled, numbers are all written.
  static const Handle& kNumbers = *new Handle(make_dataset_creation(false));
  static const Handle& kTexts = *new Handle(make_dataset_creation(true));
  const Handle& plain = stored == Stored::text ? kTexts : kNumbers;
  const Handle space = space_of(shape.extents);
  Handle chunked;
  if (!shape.chunk.empty()) {
    chunked = own(H5Pcopy(plain.id()), "cannot set up a dataset");
    const std::vector<hsize_t> chunk(shape.chunk.begin(), shape.chunk.end());
    check(H5Pset_chunk(chunked.id(), static_cast<int>(chunk.size()), chunk.data()),
          "cannot set up a dataset");
    check(H5Pset_deflate(chunked.id(), 1), "cannot set up a dataset");
  }
  return own(H5Dcreate2(parent.id(), name.c_str(), type_of(stored).id(), space.id(), H5P_DEFAULT,
                        shape.chunk.empty() ? plain.id() : chunked.id(), H5P_DEFAULT),
             "cannot create the dataset", name);
}

void write_numbers(const Handle& dataset, Stored stored, const Box& box,
                   std::span<const std::byte> values) {
  if (values.size() != box.size() * size_of(stored))
    throw std::logic_error("write_numbers: size of the values");
  if (values.empty()) return;
  const auto [in_file, in_memory] = select(dataset, box);
  check(H5Dwrite(dataset.id(), type_of(stored).id(), in_memory.id(), in_file.id(), H5P_DEFAULT,
                 values.data()),
        "cannot write", dataset);
}

void write_texts(const Handle& dataset, const Box& box, std::span<const std::string> texts) {
  if (texts.size() != box.size()) throw std::logic_error("write_texts: number of texts");
  if (texts.empty()) return;
  std::vector<const char*> pointers(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].find('\0') != std::string::npos) {
      throw Error("cannot write " + path_of(dataset) + ": HDF5 texts hold no zero bytes");
    }
    pointers[i] = texts[i].c_str();
  }
  const auto [in_file, in_memory] = select(dataset, box);
  check(H5Dwrite(dataset.id(), type_of(Stored::text).id(), in_memory.id(), in_file.id(),
                 text_transfer().id(), pointers.data()),
        "cannot write", dataset);
}

void set_attribute(const Handle& object, const std::string& name, const Attribute& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const char* pointer = text->c_str();
    const Handle& type = type_of(Stored::text);
    write_attribute(object, name, type, type, space_of({}), &pointer);
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    write_text_list(object, name, *texts);
  } else if (const auto* small = std::get_if<std::int32_t>(&value)) {
    const Handle& type = type_of(Stored::int32);
    write_attribute(object, name, type, type, space_of({}), small);
  } else if (const auto* large = std::get_if<std::uint64_t>(&value)) {
    const Handle& type = type_of(Stored::uint64);
    write_attribute(object, name, type, type, space_of({}), large);
  } else {
    const Handle& type = type_of(Stored::float64);
    write_attribute(object, name, type, type, space_of({}), &std::get<double>(value));
  }
}

void make_scale(const Handle& dataset, const std::string& name) {
  write_fixed_text(dataset, "CLASS", "DIMENSION_SCALE");
  write_fixed_text(dataset, "NAME", name);
}

void set_dimensions(const Handle& dataset, std::span<const Handle* const> scales,
                    std::span<const std::string> names) {
  if (scales.empty()) return;
  std::vector<hobj_ref_t> references(scales.size());
  std::vector<hvl_t> lists(scales.size());
  for (std::size_t i = 0; i < scales.size(); ++i) {
    references[i] = reference_to(*scales[i]);
    lists[i] = {1, &references[i]};
  }
  const Handle type = own(H5Tvlen_create(H5T_STD_REF_OBJ), "cannot make a type");
  write_attribute(dataset, "DIMENSION_LIST", type, type, space_of({scales.size()}), lists.data());
  write_text_list(dataset, "DIMENSION_LABELS", names);
}

void set_uses(const Handle& scale, std::span<const ScaleUse> uses) {
  if (uses.empty()) return;
  struct Entry {
    hobj_ref_t dataset;
    int dimension;
    int padding;  // written too: without it the file would hold whatever stood in memory
  };
  std::vector<Entry> entries;
  entries.reserve(uses.size());
  for (const ScaleUse& use : uses)
    entries.push_back({reference_to(*use.dataset), use.dimension, 0});
  const Handle type = own(H5Tcreate(H5T_COMPOUND, sizeof(Entry)), "cannot make a type");
  check(H5Tinsert(type.id(), "dataset", HOFFSET(Entry, dataset), H5T_STD_REF_OBJ),
        "cannot make a type");
  check(H5Tinsert(type.id(), "dimension", HOFFSET(Entry, dimension), H5T_NATIVE_INT),
        "cannot make a type");
  write_attribute(scale, "REFERENCE_LIST", type, type, space_of({entries.size()}), entries.data());
}

}  // namespace refran::runner::hdf5
