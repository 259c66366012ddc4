// The named steps through a group of sentences, each against what the plain model holds at the same
// place.
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>
#include <referent_model/kernel/forward.h>

#include "kernel_workbench.h"

namespace refran::referent::kernel {
namespace {

// One sentence of a group after a step, and the plain model's way through it.
struct Place {
  const Group& group;
  std::size_t index;  // of the sentence in its group
  Activations<Number> plain;
};

class GroupTest : public testing::TestWithParam<KernelExample> {
 protected:
  using N = Workbench::N;

  GroupTest()
      : parameters_(start_of(GetParam(), 5)),
        numbers_(all_lanes<Number>(parameters_)),
        layout_(GetParam().spec.shape),
        model_(GetParam().spec.shape, GetParam().task.it, numbers_.data()),
        bench_(GetParam(), parameters_) {
    bench_.form();
  }

  const N& n() const { return bench_.n(); }
  const GroupSpace<Number>& space() const { return bench_.space(); }

  // Takes the step in every group, then checks each of its sentences.
  void check(const std::function<void(const GroupContext<Number, N>&)>& step,
             const std::function<void(const Place&)>& expect) {
    for (const Group& group : bench_.task().groups) {
      step(bench_.at(group));
      const std::vector<Sentence> sentences = sentences_of(GetParam(), bench_.task(), group);
      ASSERT_EQ(sentences.size(), group.target.size());
      for (std::size_t s = 0; s < sentences.size(); ++s)
        expect({group, s, model_.forward(sentences[s], GetParam().spec.attention)});
    }
  }

  // Where the sentence has what the kernel has at a shared position, or the adjective behind them.
  std::size_t position(const Place& place, std::size_t shared) const {
    const std::size_t row = shared < n().shared() ? bench_.at(place.group).row(shared)
                                                  : place.group.adjective_row[place.index];
    return bench_.task().rows[row].position;
  }
  // What layer 2 reads at a position [read]: its heads' keys, then their values.
  std::vector<double> read(const Place& place, std::size_t at) const {
    std::vector<double> result;
    for (std::size_t head = 0; head < n().heads; ++head)
      append(place, at, layout_.key, n().key, head, result);
    for (std::size_t head = 0; head < n().heads; ++head)
      append(place, at, layout_.value, n().value, head, result);
    return result;
  }
  std::vector<double> queries(const Place& place) const {
    std::vector<double> result;
    for (std::size_t head = 0; head < n().heads; ++head)
      append(place, GetParam().task.it, layout_.query, n().key, head, result);
    for (double& number : result) number /= std::sqrt(static_cast<double>(n().key));
    return result;
  }

  // Of a head of layer 2, by position as above: its score, where `attend` was not called yet.
  double attention(const Place& place, std::size_t asking, std::size_t p) const {
    const std::size_t row = bench_.at(place.group).at(asking, place.index, n().parts());
    return p < n().shared() ? space().weight[row + p].v[0]
                            : space().own_attention[place.index * n().heads + asking].v[0];
  }

  static void expect_near(double actual, double expected) {
    EXPECT_NEAR(actual, expected, 1e-12 * (1 + std::fabs(expected)));
  }

  std::vector<double> parameters_;
  std::vector<Number> numbers_;
  ParameterLayout layout_;
  PlainModel<Number> model_;
  Workbench bench_;

 private:
  // The hidden vector at a position through a head's matrix [model_dim, columns] of layer 2.
  void append(const Place& place, std::size_t at, std::size_t offset, std::size_t columns,
              std::size_t head, std::vector<double>& result) const {
    const std::size_t dims = n().model;
    const std::size_t matrix = offset + (n().heads + head) * dims * columns;
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t d = 0; d < dims; ++d)
        sum += place.plain.hidden[at * dims + d].v[0] * parameters_[matrix + d * columns + c];
      result.push_back(sum);
    }
  }
};

void prepare(const GroupContext<Number, Workbench::N>& context) {
  share(context);
  mix_own(context);
  mix(context);
}

TEST_P(GroupTest, ShareAndMixGiveWhatLayer2ReadsAtTheSharedPositions) {
  check(prepare, [this](const Place& place) {
    const auto context = bench_.at(place.group);
    const std::size_t word = place.group.adjective_row[place.index];
    for (std::size_t p = 0; p < n().shared(); ++p) {
      const std::vector<double> expected = read(place, position(place, p));
      for (std::size_t c = 0; c < n().read(); ++c) {
        double sum = space().base[p * n().read() + c].v[0];
        for (std::size_t head = 0; head < n().heads; ++head) {
          const std::size_t at = context.positions_at(place.index, head) + p;
          const std::size_t part = (1 + head) * n().shared() + p;
          const double value = bench_.tables().read_value[context.read_at(head, word) + c].v[0];
          sum += space().inverse[at].v[0] *
                 (space().base[part * n().read() + c].v[0] + space().adjective[at].v[0] * value);
        }
        expect_near(sum, expected[c]);
      }
    }
  });
}

TEST_P(GroupTest, MixOwnGivesWhatLayer2ReadsAtTheAdjective) {
  check(prepare, [this](const Place& place) {
    const std::vector<double> expected = read(place, position(place, n().shared()));
    for (std::size_t c = 0; c < n().read(); ++c)
      expect_near(space().own_read[place.index * n().read() + c].v[0], expected[c]);
  });
}

TEST_P(GroupTest, MixGivesTheQueriesOfLayer2) {
  check(prepare, [this](const Place& place) {
    const std::vector<double> expected = queries(place);
    for (std::size_t c = 0; c < n().keys(); ++c)
      expect_near(space().ask[place.index * n().ask() + c].v[0], expected[c]);
  });
}

TEST_P(GroupTest, ScoreIsQueryTimesKey) {
  check(
      [](const auto& context) {
        prepare(context);
        for (std::size_t s = 0; s < context.sentences(); ++s) score(context, s);
      },
      [this](const Place& place) {
        const std::vector<double> query = queries(place);
        for (std::size_t p = 0; p < n().positions(); ++p) {
          const std::vector<double> keys = read(place, position(place, p));
          for (std::size_t asking = 0; asking < n().heads; ++asking) {
            double expected = 0;
            for (std::size_t k = asking * n().key; k < (asking + 1) * n().key; ++k)
              expected += query[k] * keys[k];
            expect_near(attention(place, asking, p), expected);
          }
        }
      });
}

TEST_P(GroupTest, AttendGivesTheAttentionOfLayer2) {
  check(
      [](const auto& context) {
        prepare(context);
        for (std::size_t s = 0; s < context.sentences(); ++s) score(context, s);
        attend(context);
      },
      [this](const Place& place) {
        for (std::size_t asking = 0; asking < n().heads; ++asking) {
          for (std::size_t p = 0; p < n().positions(); ++p) {
            const std::size_t key = asking * n().positions() + position(place, p);
            expect_near(attention(place, asking, p), place.plain.attention2[key].v[0]);
          }
        }
      });
}

// Scores far from 0, and differences that exp makes 0 of; where heads look everywhere alike, none
// counts.
TEST_P(GroupTest, AttendIsTheSoftmaxOfAnyScores) {
  const auto score = [](std::size_t asking, std::size_t p) {
    return p % 3 == 2 ? -900.0 : 300.0 - 1.5 * static_cast<double>((7 * p + asking) % 5);
  };
  check(
      [&score](const auto& context) {
        const std::size_t shared = context.n.shared();
        for (std::size_t s = 0; s < context.sentences(); ++s) {
          for (std::size_t asking = 0; asking < context.n.heads; ++asking) {
            Number* const row = context.space.weight + context.at(asking, s, context.n.parts());
            for (std::size_t p = 0; p < shared; ++p) row[p] = Number::of(score(asking, p));
            context.space.own_attention[s * context.n.heads + asking] =
                Number::of(score(asking, shared));
          }
        }
        attend(context);
      },
      [&](const Place& place) {
        const bool is_uniform = GetParam().spec.attention == AttentionKind::uniform;
        for (std::size_t asking = 0; asking < n().heads; ++asking) {
          const auto term = [&](std::size_t p) {
            return is_uniform ? 1 : std::exp(score(asking, p) - 300);
          };
          double sum = 0;
          for (std::size_t p = 0; p < n().positions(); ++p) sum += term(p);
          for (std::size_t p = 0; p < n().positions(); ++p)
            EXPECT_NEAR(attention(place, asking, p), term(p) / sum, 1e-14);
        }
      });
}

TEST_P(GroupTest, OutputsAreThePlainModels) {
  check([](const auto& context) { forward(context); },
        [this](const Place& place) {
          for (std::size_t i = 0; i < n().values(); ++i) {
            expect_near(space().output[place.index * n().values() + i].v[0],
                        place.plain.output2[i].v[0]);
          }
        });
}

// What weigh and read_adjective leave: parts of attention, and an output of the adjective alone.
TEST_P(GroupTest, WeighSplitsAttentionByWhereItIsRead) {
  check([](const auto& context) { forward(context); },
        [this](const Place& place) {
          const auto context = bench_.at(place.group);
          for (std::size_t asking = 0; asking < n().heads; ++asking) {
            const std::size_t row = place.index * n().heads + asking;
            const Number* const weight =
                space().weight + context.at(asking, place.index, n().parts());
            for (std::size_t head = 0; head < n().heads; ++head) {
              const std::size_t at = context.positions_at(place.index, head);
              double mixed = 0;
              for (std::size_t p = 0; p < n().shared(); ++p) {
                const double part = weight[p].v[0] * space().inverse[at + p].v[0];
                EXPECT_EQ(weight[(1 + head) * n().shared() + p].v[0], part);
                mixed += part * space().adjective[at + p].v[0];
              }
              expect_near(space().mixed[row * n().heads + head].v[0], mixed);
            }
          }
        });
}

INSTANTIATE_TEST_SUITE_P(Examples, GroupTest, testing::ValuesIn(kernel_examples_and_page()),
                         example_name);

}  // namespace
}  // namespace refran::referent::kernel
