// The config of attention-query: source words with keys and values, output words with queries, and
// the field of queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <arithmetic/attention.h>
#include <encoder_config/encoder_config.h>

#include <refran/config.h>
#include <refran/error.h>

namespace refran::attention_query {

// A source word: what it has, and what it gives when it is looked at.
struct SourceWord {
  std::string word;
  std::vector<double> key;
  std::vector<double> value;

  void describe(Fields& field);
};

// A word being written: what it is looking for.
struct OutputWord {
  std::string word;
  std::vector<double> query;

  void describe(Fields& field);
};

// From where to where the field goes along one dimension.
struct Range {
  double low;
  double high;
};

// The grid of queries; a bound left to `auto` covers all keys and queries, with a third of their
// extent around them.
struct QueryGrid {
  std::optional<double> x_min;
  std::optional<double> x_max;
  std::optional<double> y_min;
  std::optional<double> y_max;
  std::int32_t resolution = 51;

  void describe(Fields& field);
};

struct Config {
  std::vector<SourceWord> source;
  std::vector<std::string> value_dims;
  std::vector<OutputWord> queries;
  std::string scoring = "dot";
  QueryGrid field;
  plugins::EncoderRule encoder;

  void describe(Fields& declare);
  void check(Problems& problems) const;

  arithmetic::Scoring scoring_rule() const;
  Array<double, 2> key_matrix() const;    // [key, dim]
  Array<double, 2> value_matrix() const;  // [key, value_dim]
  Array<double, 2> query_matrix() const;  // [query, dim]

  // Whether the field can be drawn, and is wanted.
  bool has_field() const;
  Range x_range() const;
  Range y_range() const;

 private:
  void check_vectors(Problems& problems) const;
  void check_field(Problems& problems) const;
  Range range_along(std::size_t dim, std::optional<double> low, std::optional<double> high) const;
};

}  // namespace refran::attention_query
