// What a step forms of the parameters alone, against formulas on the embeddings.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_workbench.h"

namespace refran::referent::kernel {
namespace {

using Vector = std::vector<double>;

constexpr double kTolerance = 1e-12;

void expect_equal(const Number* actual, const Vector& expected, const std::string& what) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(actual[i].v[0], expected[i], kTolerance * (1 + std::fabs(expected[i])))
        << what << ", column " << i;
  }
}

// Vectors and scores of rows as the model's definition has them.
class Definition {
 public:
  Definition(const KernelExample& example, const Vector& parameters)
      : shape_(example.spec.shape), layout_(shape_), parameters_(parameters) {}

  Vector embedding(const Row& row) const {
    Vector result(shape_.model_dim);
    for (std::size_t d = 0; d < shape_.model_dim; ++d) {
      result[d] = parameters_[layout_.word_embedding + row.word * shape_.model_dim + d];
      if (shape_.has_positions) {
        result[d] += parameters_[layout_.position_embedding + row.position * shape_.model_dim + d];
      }
    }
    return result;
  }
  Vector query(std::size_t layer, std::size_t head, const Vector& stream) const {
    Vector result = through(layout_.query, layer, head, shape_.key_dim, stream);
    for (double& value : result) value /= std::sqrt(static_cast<double>(shape_.key_dim));
    return result;
  }
  Vector key(std::size_t layer, std::size_t head, const Vector& stream) const {
    return through(layout_.key, layer, head, shape_.key_dim, stream);
  }
  // What a value of layer 1 adds to the stream.
  Vector moved(std::size_t head, const Vector& stream) const {
    const Vector value = through(layout_.value, 0, head, shape_.value_dim, stream);
    return times(value, layout_.output + head * shape_.value_dim * shape_.model_dim,
                 shape_.model_dim);
  }
  double score(std::size_t head, const Vector& asking, const Vector& asked) const {
    const Vector q = query(0, head, asking);
    const Vector k = key(0, head, asked);
    double sum = 0;
    for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] * k[i];
    return sum;
  }
  // Layer 2's keys, then its values: `read` width.
  Vector read(const Vector& stream) const {
    Vector result;
    for (std::size_t head = 0; head < shape_.heads; ++head) append(key(1, head, stream), result);
    for (std::size_t head = 0; head < shape_.heads; ++head)
      append(through(layout_.value, 1, head, shape_.value_dim, stream), result);
    return result;
  }
  // Layer 2's queries, then logits: `ask` width.
  Vector ask(const Vector& stream) const {
    Vector result;
    for (std::size_t head = 0; head < shape_.heads; ++head) append(query(1, head, stream), result);
    append(times(stream, layout_.unembedding, shape_.words), result);
    return result;
  }

 private:
  static void append(const Vector& more, Vector& vector) {
    vector.insert(vector.end(), more.begin(), more.end());
  }
  // stream [model_dim] · a head's matrix [model_dim, columns].
  Vector through(std::size_t offset, std::size_t layer, std::size_t head, std::size_t columns,
                 const Vector& stream) const {
    const std::size_t size = shape_.model_dim * columns;
    return times(stream, offset + (layer * shape_.heads + head) * size, columns);
  }
  Vector times(const Vector& vector, std::size_t offset, std::size_t columns) const {
    Vector result(columns);
    for (std::size_t r = 0; r < vector.size(); ++r) {
      for (std::size_t c = 0; c < columns; ++c)
        result[c] += vector[r] * parameters_[offset + r * columns + c];
    }
    return result;
  }

  ModelShape shape_;
  ParameterLayout layout_;
  const Vector& parameters_;
};

class TablesTest : public testing::TestWithParam<KernelExample> {
 protected:
  TablesTest()
      : parameters_(start_of(GetParam(), 5)),
        definition_(GetParam(), parameters_),
        bench_(GetParam(), parameters_) {
    spread_ = bench_.form();
    for (const Row& row : bench_.task().rows) rows_.push_back(definition_.embedding(row));
  }

  bool learns() const { return GetParam().spec.attention == AttentionKind::learned; }
  double score(std::size_t head, std::size_t r, std::size_t c) const {
    return learns() ? definition_.score(head, rows_[r], rows_[c]) : 0;
  }
  // The keys that a query has in every sentence.
  std::vector<std::size_t> always(std::size_t r) const {
    std::vector<std::size_t> keys;
    for (std::size_t c = 0; c < bench_.task().constants; ++c) keys.push_back(c);
    if (r >= bench_.task().constants) keys.push_back(r);
    return keys;
  }
  double best(std::size_t head, std::size_t r, const std::vector<std::size_t>& keys) const {
    double best = score(head, r, keys.front());
    for (const std::size_t c : keys) best = std::max(best, score(head, r, c));
    return best;
  }
  // e^(score of r and c - that of r and the template's first word).
  double ratio(std::size_t head, std::size_t r, std::size_t c) const {
    return std::exp(score(head, r, c) - score(head, r, 0));
  }
  double exp_score(std::size_t head, std::size_t r, std::size_t c) const {
    return bench_.tables().exp_score[(head * rows_.size() + r) * rows_.size() + c].v[0];
  }
  // The average over the keys that are always there of what `view` says of a moved value.
  template <class View>
  Vector average(std::size_t head, std::size_t r, const std::vector<std::size_t>& keys,
                 View view) const {
    Vector sum;
    double weights = 0;
    for (const std::size_t c : keys) {
      const Vector moved = view(definition_.moved(head, rows_[c]));
      sum.resize(moved.size());
      for (std::size_t i = 0; i < moved.size(); ++i) sum[i] += ratio(head, r, c) * moved[i];
      weights += ratio(head, r, c);
    }
    for (double& value : sum) value /= weights;
    return sum;
  }
  // numerator / denominator.
  static Vector quotient(const Number* numerator, const Number& denominator, std::size_t width) {
    Vector result;
    for (std::size_t i = 0; i < width; ++i) result.push_back(numerator[i].v[0] / denominator.v[0]);
    return result;
  }
  static void expect_equal_numbers(const Vector& actual, const Vector& expected) {
    expect_equal(all_lanes<Number>(actual).data(), expected, "quotient");
  }

  std::size_t heads() const { return GetParam().spec.shape.heads; }

  Vector parameters_;
  Definition definition_;
  Workbench bench_;
  double spread_ = 0;
  std::vector<Vector> rows_;  // [row][model_dim]
};

TEST_P(TablesTest, EmbeddingsAndWhatLayer2ReadsOfThem) {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    expect_equal(bench_.tables().embedding + r * rows_[r].size(), rows_[r], "embedding");
    expect_equal(bench_.tables().read + r * bench_.n().read(), definition_.read(rows_[r]), "read");
  }
  expect_equal(bench_.tables().ask, definition_.ask(rows_[bench_.task().it]), "ask");
}

TEST_P(TablesTest, WhatLayer2ReadsOfAValueThatLayer1Moves) {
  for (std::size_t head = 0; head < heads(); ++head) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Vector moved = definition_.moved(head, rows_[r]);
      const std::size_t at = head * rows_.size() + r;
      expect_equal(bench_.tables().read_value + at * bench_.n().read(), definition_.read(moved),
                   "read_value");
      expect_equal(bench_.tables().ask_value + at * bench_.n().ask(), definition_.ask(moved),
                   "ask_value");
    }
  }
}

TEST_P(TablesTest, ExponentialsOfScoresAreRightButForAFactorOfTheQuery) {
  for (std::size_t head = 0; head < heads(); ++head) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::size_t c = 0; c < rows_.size(); ++c) {
        if (!bench_.task().meet(r, c)) {
          EXPECT_EQ(exp_score(head, r, c), 0) << r << " and " << c;
          continue;
        }
        const double expected = ratio(head, r, c);
        EXPECT_NEAR(exp_score(head, r, c) / exp_score(head, r, 0), expected, kTolerance * expected)
            << r << " and " << c;
      }
    }
  }
}

// So that neither a sentence without the best key nor one with it leaves the type's range.
TEST_P(TablesTest, TheFactorIsHalfWayBetweenTheBestScoreAndTheBestThatIsAlwaysThere) {
  double widest = 0;
  for (std::size_t head = 0; head < heads(); ++head) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      std::vector<std::size_t> met;
      for (std::size_t c = 0; c < rows_.size(); ++c) {
        if (bench_.task().meet(r, c)) met.push_back(c);
      }
      const double low = best(head, r, always(r));
      const double high = best(head, r, met);
      widest = std::max(widest, high - low);
      EXPECT_NEAR(std::log(exp_score(head, r, 0)), score(head, r, 0) - (low + high) / 2, kTolerance)
          << r;
    }
  }
  EXPECT_NEAR(spread_, widest, kTolerance);
}

TEST_P(TablesTest, NumeratorsOverDenominatorsAreAveragesOverTheKeysThatAreAlwaysThere) {
  const std::size_t read = bench_.n().read();
  const Number* const numerators = bench_.tables().read + rows_.size() * read;
  for (std::size_t head = 0; head < heads(); ++head) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const std::size_t at = head * rows_.size() + r;
      expect_equal_numbers(quotient(numerators + at * read, bench_.tables().denominator[at], read),
                           average(head, r, always(r), [this](const Vector& moved) {
                             return definition_.read(moved);
                           }));
    }
  }
}

TEST_P(TablesTest, TheSameAtItOfWhatItAsksWith) {
  const std::size_t ask = bench_.n().ask();
  const std::size_t it = bench_.task().it;
  for (std::size_t head = 0; head < heads(); ++head) {
    expect_equal_numbers(quotient(bench_.tables().ask + (1 + head) * ask,
                                  bench_.tables().denominator[head * rows_.size() + it], ask),
                         average(head, it, always(it),
                                 [this](const Vector& moved) { return definition_.ask(moved); }));
  }
}

TEST_P(TablesTest, DenominatorsAreSumsOfExponentials) {
  for (std::size_t head = 0; head < heads(); ++head) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      double sum = 0;
      for (const std::size_t c : always(r)) sum += exp_score(head, r, c);
      EXPECT_NEAR(bench_.tables().denominator[head * rows_.size() + r].v[0], sum, kTolerance * sum);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, TablesTest, testing::ValuesIn(kernel_examples()), example_name);

}  // namespace
}  // namespace refran::referent::kernel
