#include "model.h"

#include <cmath>

#include <refran/random.h>

namespace refran::referent {

ParameterLayout::ParameterLayout(const ModelShape& shape) {
  const std::size_t heads = shape.all_heads();
  std::size_t next = 0;
  const auto take = [&next](std::size_t count) {
    const std::size_t begin = next;
    next += count;
    return begin;
  };
  word_embedding = take(shape.words * shape.model_dim);
  position_embedding = take(shape.has_positions ? shape.positions * shape.model_dim : 0);
  query = take(heads * shape.model_dim * shape.key_dim);
  key = take(heads * shape.model_dim * shape.key_dim);
  value = take(heads * shape.model_dim * shape.value_dim);
  output = take(heads * shape.value_dim * shape.model_dim);
  unembedding = take(shape.model_dim * shape.words);
  size = next;
}

std::vector<double> random_start(const ModelShape& shape, std::uint64_t seed, double scale) {
  const ParameterLayout layout(shape);
  std::vector<double> parameters(layout.size);
  const auto fill = [&](const std::string& name, std::size_t begin, std::size_t count,
                        double deviation) {
    Stream stream(seed, "start/" + name);
    for (std::size_t i = 0; i < count; ++i) parameters[begin + i] = deviation * stream.normal();
  };
  // One stream per row or head, so that one more leaves the others as they are.
  const auto fill_rows = [&](const std::string& name, std::size_t begin, std::size_t rows,
                             std::size_t size, double deviation) {
    for (std::size_t row = 0; row < rows; ++row)
      fill(name + "/" + std::to_string(row), begin + row * size, size, deviation);
  };
  const auto fill_heads = [&](const std::string& name, std::size_t begin, std::size_t size,
                              double deviation) {
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      fill_rows(name + "/" + std::to_string(layer), begin + layer * shape.heads * size, shape.heads,
                size, deviation);
    }
  };

  const double per_input = scale / std::sqrt(static_cast<double>(shape.model_dim));
  fill_rows("word_embedding", layout.word_embedding, shape.words, shape.model_dim, scale);
  if (shape.has_positions) {
    fill_rows("position_embedding", layout.position_embedding, shape.positions, shape.model_dim,
              scale);
  }
  fill_heads("query", layout.query, shape.model_dim * shape.key_dim, per_input);
  fill_heads("key", layout.key, shape.model_dim * shape.key_dim, per_input);
  fill_heads("value", layout.value, shape.model_dim * shape.value_dim, per_input);
  fill_heads("output", layout.output, shape.value_dim * shape.model_dim,
             scale / std::sqrt(static_cast<double>(shape.heads * shape.value_dim)));
  // [model_dim, word]: a stream per column.
  for (std::size_t word = 0; word < shape.words; ++word) {
    Stream stream(seed, "start/unembedding/" + std::to_string(word));
    for (std::size_t d = 0; d < shape.model_dim; ++d)
      parameters[layout.unembedding + d * shape.words + word] = per_input * stream.normal();
  }
  return parameters;
}

}  // namespace refran::referent
