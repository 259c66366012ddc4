#include "config.h"

#include <algorithm>

#include <arithmetic/matrix.h>
#include <fmt/format.h>

namespace refran::attention_query {
namespace {

// Says where `vector` has not `size` numbers, as `like` has.
void check_size(const std::string& field, const std::vector<double>& vector, std::size_t size,
                const char* like, Problems& problems) {
  if (vector.size() == size) return;
  problems.add(field,
               fmt::format("found {} numbers, allowed: {}, as in {}", vector.size(), size, like));
}

}  // namespace

void SourceWord::describe(Fields& field) {
  field("word", word, "The word").required();
  field("key", key, "What it has: a query's dot product with it is its score").required().items(1);
  field("value", value, "What it gives, by its weight").required().items(1);
}

void OutputWord::describe(Fields& field) {
  field("word", word, "The word being written").required();
  field("query", query, "What it is looking for, in the dimensions of the keys")
      .required()
      .items(1);
}

void QueryGrid::describe(Fields& field) {
  field("x_min", x_min,
        "Left edge; auto leaves a third of the extent of keys and queries around them");
  field("x_max", x_max, "Right edge");
  field("y_min", y_min, "Lower edge");
  field("y_max", y_max, "Upper edge");
  field("resolution", resolution, "Queries along each side; 0 for no field").range(0, 2000);
}

void Config::describe(Fields& declare) {
  declare("source", source, "The source words in the order of their sentence").required().items(1);
  declare("value_dims", value_dims, "Names of the dimensions of the values");
  declare("queries", queries, "The output words, one query each").required().items(1);
  declare("scoring", scoring,
          "The dot product, or that divided by the square root of the keys' dimension")
      .one_of({"dot", "scaled-dot"});
  declare("field", field,
          "Weights and outputs for a grid of queries, where keys have 2 dimensions");
  declare("encoder", encoder, "The encoder that attention is compared with, as in toy-encoder");
}

void Config::check(Problems& problems) const {
  check_vectors(problems);
  encoder.check_rate("encoder.", source.size(), "in source", problems);
  if (problems.problems().empty()) check_field(problems);
}

void Config::check_vectors(Problems& problems) const {
  const std::size_t key_size = source.front().key.size();
  const std::size_t value_size = source.front().value.size();
  for (std::size_t i = 0; i < source.size(); ++i) {
    check_size(fmt::format("source[{}].key", i), source[i].key, key_size, "source[0].key",
               problems);
    check_size(fmt::format("source[{}].value", i), source[i].value, value_size, "source[0].value",
               problems);
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    check_size(fmt::format("queries[{}].query", i), queries[i].query, key_size, "source[0].key",
               problems);
  }
  if (!value_dims.empty() && value_dims.size() != value_size) {
    problems.add("value_dims",
                 fmt::format("found {} names, allowed: {}, one per number of a value, or none",
                             value_dims.size(), value_size));
  }
}

void Config::check_field(Problems& problems) const {
  if (field.resolution == 1)
    problems.add("field.resolution", "found 1, allowed: 0 for no field, or at least 2");
  if (!has_field()) return;
  const auto check_range = [&](const char* axis, const Range& range) {
    if (range.low < range.high) return;
    problems.add(fmt::format("field.{}_min", axis),
                 fmt::format("found {}, allowed: less than {}_max, which is {}", range.low, axis,
                             range.high));
  };
  check_range("x", x_range());
  check_range("y", y_range());
}

arithmetic::Scoring Config::scoring_rule() const {
  return scoring == "dot" ? arithmetic::Scoring::dot : arithmetic::Scoring::scaled_dot;
}

Array<double, 2> Config::key_matrix() const {
  std::vector<std::vector<double>> rows;
  for (const SourceWord& word : source) rows.push_back(word.key);
  return arithmetic::matrix(rows, rows.front().size());
}

Array<double, 2> Config::value_matrix() const {
  std::vector<std::vector<double>> rows;
  for (const SourceWord& word : source) rows.push_back(word.value);
  return arithmetic::matrix(rows, rows.front().size());
}

Array<double, 2> Config::query_matrix() const {
  std::vector<std::vector<double>> rows;
  for (const OutputWord& word : queries) rows.push_back(word.query);
  return arithmetic::matrix(rows, rows.front().size());
}

bool Config::has_field() const { return field.resolution > 0 && source.front().key.size() == 2; }

Range Config::x_range() const { return range_along(0, field.x_min, field.x_max); }

Range Config::y_range() const { return range_along(1, field.y_min, field.y_max); }

Range Config::range_along(std::size_t dim, std::optional<double> low,
                          std::optional<double> high) const {
  double least = source.front().key[dim];
  double most = least;
  const auto cover = [&](double coordinate) {
    least = std::min(least, coordinate);
    most = std::max(most, coordinate);
  };
  for (const SourceWord& word : source) cover(word.key[dim]);
  for (const OutputWord& word : queries) cover(word.query[dim]);
  const double margin = most > least ? (most - least) / 3 : 1;
  return {low.value_or(least - margin), high.value_or(most + margin)};
}

}  // namespace refran::attention_query
