#include "group_writer.h"

#include <algorithm>
#include <type_traits>

namespace refran::runner {
namespace {

hdf5::Stored stored_as(const ScaleValues& values) {
  constexpr hdf5::Stored kStored[] = {hdf5::Stored::text, hdf5::Stored::int64, hdf5::Stored::uint64,
                                      hdf5::Stored::float64};
  return kStored[values.index()];
}

std::uint64_t size_of(const ScaleValues& values) {
  return std::visit([](const auto& list) { return std::uint64_t{list.size()}; }, values);
}

// A long index is compressed, as all integers are.
hdf5::Shape scale_storage(const ScaleValues& values) {
  if (std::holds_alternative<std::vector<std::int64_t>>(values)) {
    return storage_of(Element::int64, {size_of(values)}, false);
  }
  return {{size_of(values)}, {}};
}

}  // namespace

void GroupWriter::set(const std::string& name, const hdf5::Attribute& value) {
  hdf5::set_attribute(group_, name, value);
  seal_->add_attribute(path_, name, value);
}

void GroupWriter::set_on(const hdf5::Handle& dataset, const std::string& name,
                         const std::string& attribute, const hdf5::Attribute& value) {
  hdf5::set_attribute(dataset, attribute, value);
  seal_->add_attribute(path_of(name), attribute, value);
}

std::size_t GroupWriter::create(const std::string& name, hdf5::Stored stored,
                                const hdf5::Shape& shape, const About& about) {
  datasets_.push_back(hdf5::create_dataset(group_, name, stored, shape));
  set_on(datasets_.back(), name, "units", about.units);
  set_on(datasets_.back(), name, "long_name", about.long_name);
  return datasets_.size() - 1;
}

void GroupWriter::set_dims(std::size_t dataset, const std::vector<std::string>& dims) {
  std::vector<const hdf5::Handle*> scales;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    Scale& scale = scales_.at(dims[dim]);
    scales.push_back(&datasets_[scale.dataset]);
    scale.uses.emplace_back(dataset, static_cast<int>(dim));
  }
  hdf5::set_dimensions(datasets_[dataset], scales, dims);
}

void GroupWriter::write_values(std::size_t dataset, const std::string& name,
                               const ScaleValues& values) {
  const hdf5::Box all{{0}, {size_of(values)}};
  if (const auto* texts = std::get_if<std::vector<std::string>>(&values)) {
    hdf5::write_texts(datasets_[dataset], all, *texts);
    seal_->add_values(path_of(name), sha256_of_text(encode_texts(*texts)));
    return;
  }
  std::visit(
      [&](const auto& list) {
        if constexpr (!std::is_same_v<typename std::decay_t<decltype(list)>::value_type,
                                      std::string>) {
          std::vector<std::byte> bytes(list.size() * sizeof(list[0]));
          std::copy_n(std::as_bytes(std::span(list)).begin(), bytes.size(), bytes.begin());
          if (stored_as(values) == hdf5::Stored::float64) canonicalise(Element::float64, bytes);
          hdf5::write_numbers(datasets_[dataset], stored_as(values), all, bytes);
          Hasher hasher;
          hasher.add(bytes);
          seal_->add_values(path_of(name), hasher.finish());
        }
      },
      values);
}

void GroupWriter::add_scale(const std::string& name, const ScaleValues& values,
                            const About& about) {
  const std::size_t dataset = create(name, stored_as(values), scale_storage(values), about);
  hdf5::make_scale(datasets_[dataset], name);
  write_values(dataset, name, values);
  scales_.emplace(name, Scale{dataset, {}});
}

void GroupWriter::add_values(const std::string& name, const std::vector<std::string>& dims,
                             const ScaleValues& values, const About& about) {
  const std::size_t dataset = create(name, stored_as(values), {{size_of(values)}, {}}, about);
  set_dims(dataset, dims);
  write_values(dataset, name, values);
}

void GroupWriter::add_texts(const std::string& name, const std::vector<std::string>& dims,
                            const std::vector<std::uint64_t>& extents, const About& about,
                            const TextAt& text_at) {
  const std::size_t dataset = create(name, hdf5::Stored::text, {extents, {}}, about);
  set_dims(dataset, dims);
  Hasher hasher;
  write_all_texts(datasets_[dataset], extents, [&](std::uint64_t position) {
    std::string text = text_at(position);
    hasher.add(encode_texts({&text, 1}));
    return text;
  });
  seal_->add_values(path_of(name), hasher.finish());
}

const hdf5::Handle& GroupWriter::add_output(const std::string& name, hdf5::Stored stored,
                                            const hdf5::Shape& shape,
                                            const std::vector<std::string>& dims,
                                            const About& about) {
  const std::size_t dataset = create(name, stored, shape, about);
  set_dims(dataset, dims);
  return datasets_[dataset];
}

void GroupWriter::finish() {
  std::vector<hdf5::ScaleUse> uses;
  for (const auto& [name, scale] : scales_) {
    uses.clear();
    for (const auto& [dataset, dimension] : scale.uses)
      uses.push_back({&datasets_[dataset], dimension});
    hdf5::set_uses(datasets_[scale.dataset], uses);
  }
  datasets_.clear();
}

}  // namespace refran::runner
