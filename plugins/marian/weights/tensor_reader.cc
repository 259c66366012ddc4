#include "tensor_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../checkpoint/storage.h"
#include "stored_floats.h"

namespace refran::marian {
namespace {

// The tensor as the matrix [rows, columns] that is wanted of it; its shape has been checked.
StoredMatrix as_matrix(const StoredTensor& tensor, std::size_t rows, std::size_t columns,
                       Layout layout) {
  StoredMatrix matrix{tensor.type, tensor.bytes.data(), rows, columns, columns, 1};
  const std::size_t rank = tensor.shape.size();
  if (rank >= 1) matrix.column_stride = tensor.strides[rank - 1];
  if (rank >= 2) matrix.row_stride = tensor.strides[rank - 2];
  if (layout == Layout::transposed) std::swap(matrix.row_stride, matrix.column_stride);
  if (rows == 1) matrix.row_stride = columns;
  return matrix;
}

bool lies_as_floats(const StoredMatrix& matrix) {
  return matrix.type == StoredType::float32 && matrix.column_stride == 1 &&
         matrix.row_stride == matrix.columns &&
         reinterpret_cast<std::uintptr_t>(matrix.first) % alignof(float) == 0;
}

std::vector<float> converted(const StoredMatrix& matrix, std::size_t extra_elements) {
  std::vector<float> values(matrix.rows * matrix.columns + extra_elements);
  convert(matrix, std::span(values).first(matrix.rows * matrix.columns));
  return values;
}

std::vector<float> converted(const StoredTensor& tensor) {
  const std::size_t columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  const std::size_t rows = columns == 0 ? 0 : tensor.elements() / columns;
  return converted(as_matrix(tensor, rows, columns, Layout::as_wanted), 0);
}

}  // namespace

TensorReader::TensorReader(Checkpoint checkpoint, std::string config_name)
    : parts_(std::make_shared<Parts>(Parts{std::move(checkpoint), {}})),
      config_name_(std::move(config_name)) {}

const StoredTensor* TensorReader::usable(const std::string& name,
                                         std::span<const std::size_t> wanted) {
  const StoredTensor* const tensor = parts_->checkpoint.find(name);
  mark_used(name);
  if (tensor == nullptr) {
    missing_.push_back(name);
    return nullptr;
  }
  // A vector may be stored as a matrix of one row.
  std::span<const std::size_t> shape = tensor->shape;
  if (wanted.size() == 1 && shape.size() == 2 && shape[0] == 1) shape = shape.subspan(1);
  if (!std::equal(shape.begin(), shape.end(), wanted.begin(), wanted.end())) {
    problems_.push_back(fmt::format("{} has shape {}, {} asks for {}", name,
                                    shape_text(tensor->shape), config_name_, shape_text(wanted)));
    return nullptr;
  }
  if (!holds_weights(tensor->type)) {
    problems_.push_back(fmt::format("{} holds {}, allowed: float32, float16, bfloat16 or float64",
                                    name, name_of(tensor->type)));
    return nullptr;
  }
  return tensor;
}

std::span<const float> TensorReader::matrix(const std::string& name, std::size_t rows,
                                            std::size_t columns, Layout layout,
                                            std::size_t extra_rows) {
  std::array<std::size_t, 2> wanted{rows, columns};
  if (layout == Layout::transposed) std::swap(wanted[0], wanted[1]);
  const StoredTensor* const tensor = usable(name, wanted);
  if (tensor == nullptr) return {};
  return read(*tensor, rows, columns, layout, extra_rows * columns);
}

std::span<const float> TensorReader::vector(const std::string& name, std::size_t size,
                                            std::size_t extra_elements) {
  const StoredTensor* const tensor = usable(name, std::array{size});
  if (tensor == nullptr) return {};
  return read(*tensor, 1, size, Layout::as_wanted, extra_elements);
}

std::span<const float> TensorReader::read(const StoredTensor& tensor, std::size_t rows,
                                          std::size_t columns, Layout layout,
                                          std::size_t extra_elements) {
  const StoredMatrix matrix = as_matrix(tensor, rows, columns, layout);
  std::span<const float> values;
  if (extra_elements == 0 && lies_as_floats(matrix)) {
    values = {reinterpret_cast<const float*>(matrix.first), rows * columns};
  } else {
    values = own(converted(matrix, extra_elements));
  }
  check_finite(tensor, values);
  return values;
}

void TensorReader::check_finite(const StoredTensor& tensor, std::span<const float> values) {
  const std::size_t place = first_not_finite(values);
  if (place == values.size()) return;
  problems_.push_back(fmt::format("{} holds {} among its numbers, allowed: finite ones",
                                  tensor.name,
                                  std::isnan(values[place]) ? "NaN" : "an infinite one"));
}

std::span<const float> TensorReader::own(std::vector<float> array) {
  return parts_->arrays.emplace_back(std::move(array));
}

bool TensorReader::are_equal(const std::string& one, const std::string& other) const {
  const StoredTensor& a = *parts_->checkpoint.find(one);
  const StoredTensor& b = *parts_->checkpoint.find(other);
  if (a.shape != b.shape || !holds_weights(a.type) || !holds_weights(b.type)) return false;
  if (a.type == b.type && a.strides == b.strides) {
    if (a.bytes.data() == b.bytes.data()) return true;  // one storage under two names
    if (a.is_row_major()) return std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0;
  }
  return converted(a) == converted(b);
}

std::vector<std::string> TensorReader::unused() const {
  std::vector<std::string> names;
  for (const StoredTensor& tensor : parts_->checkpoint.tensors()) {
    if (!used_.contains(tensor.name)) names.push_back(tensor.name);
  }
  return names;
}

void TensorReader::finish() const {
  std::vector<std::string> problems = problems_;
  if (!missing_.empty()) {
    problems.insert(problems.begin(), fmt::format("found no tensor {}", fmt::join(missing_, ", ")));
  }
  if (problems.empty()) return;
  throw ModelError(
      fmt::format("{}: {}", parts_->checkpoint.path().string(), fmt::join(problems, "; ")));
}

}  // namespace refran::marian
