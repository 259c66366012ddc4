// read_attention and measure_attention: where the heads look in all training sentences, and what
// each contributes, summed up seed by seed.
#include <limits>

#include <refran/math.h>
#include "measurements.h"
#include "seed_groups.h"

namespace refran::referent {
namespace {

// [position]
std::vector<Role> roles_of(const Task& task) {
  std::vector<Role> roles(task.positions, kOther);
  roles[task.slot_position[kFirstNoun]] = kFirstNounRole;
  roles[task.slot_position[kSecondNoun]] = kSecondNounRole;
  roles[task.slot_position[kAdjective]] = kAdjectiveRole;
  roles[task.it] = kSelf;
  return roles;
}

Part part_of(Role role, std::size_t referent) {
  switch (role) {
    case kFirstNounRole:
      return referent == 0 ? kReferent : kDistractor;
    case kSecondNounRole:
      return referent == 1 ? kReferent : kDistractor;
    case kAdjectiveRole:
      return kAdjectivePart;
    case kSelf:
      return kSelfPart;
    default:
      return kOtherPart;
  }
}

// What a group of seeds leaves behind, as LookResults says; without answers where maps are enough.
template <class Element>
struct LookMemory {
  LookMemory(const ModelShape& shape, std::size_t sentences, std::size_t seeds, bool with_answers)
      : width(seeds),
        attention1(sentences * shape.heads * shape.positions * shape.positions * seeds),
        attention2(sentences * shape.heads * shape.positions * seeds),
        direct(with_answers ? sentences * (1 + shape.all_heads()) * seeds : 0),
        answers(with_answers ? sentences : 0, seeds) {}

  LookResults<Element> results() {
    return {attention1.data(), attention2.data(), direct.empty() ? nullptr : direct.data(),
            answers.answers()};
  }

  std::size_t width;
  std::vector<Element> attention1;
  std::vector<Element> attention2;
  std::vector<Element> direct;
  AnswerMemory<Element> answers;
};

// The maps of one seed of a group.
template <class Element>
AttentionMaps maps_of(const Task& task, const ModelShape& shape, const LookMemory<Element>& memory,
                      std::size_t lane, bool with_layer1) {
  const std::size_t sentences = task.training.size();
  const std::size_t heads = shape.heads;
  const std::size_t positions = shape.positions;
  const LaneValues<Element> attention1(memory.attention1, memory.width, lane);
  const LaneValues<Element> attention2(memory.attention2, memory.width, lane);
  AttentionMaps maps;
  maps.it_attention = Array<float, 4>({sentences, kLayers, heads, positions});
  for (std::size_t s = 0; s < sentences; ++s) {
    for (std::size_t head = 0; head < heads; ++head) {
      const std::size_t row = s * heads + head;
      const auto layer1 = maps.it_attention.row(s, 0, head);
      const auto layer2 = maps.it_attention.row(s, 1, head);
      for (std::size_t key = 0; key < positions; ++key) {
        layer1[key] = static_cast<float>(attention1[(row * positions + task.it) * positions + key]);
        layer2[key] = static_cast<float>(attention2[row * positions + key]);
      }
    }
  }
  if (with_layer1) {
    maps.layer1_attention = Array<float, 4>({sentences, heads, positions, positions});
    const std::span<float> values = maps.layer1_attention.values();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(attention1[i]);
  }
  return maps;
}

// Attention summed over the sentences of each referent, all seeds of a group at once: the sums of
// roles and parts follow from it, whichever their positions are.
struct AttentionSums {
  template <class Element>
  AttentionSums(const Task& task, const LookMemory<Element>& memory)
      : layer1(sums(task, memory.attention1)), layer2(sums(task, memory.attention2)) {}

  std::vector<double> layer1;  // [referent, head, query, key, lane]
  std::vector<double> layer2;  // [referent, head, key, lane]

 private:
  // Of values [sentence, …].
  template <class Element>
  static std::vector<double> sums(const Task& task, const std::vector<Element>& values) {
    const std::size_t size = values.size() / task.training.size();
    std::vector<double> result(2 * size);
    for (std::size_t s = 0; s < task.training.size(); ++s) {
      const Element* const from = values.data() + s * size;
      double* const to = result.data() + task.training[s].referent * size;
      for (std::size_t i = 0; i < size; ++i) to[i] += static_cast<double>(from[i]);
    }
    return result;
  }
};

// Sums up one seed of a group.
template <class Element>
class Summary {
 public:
  Summary(const Task& task, const ModelShape& shape, const LookMemory<Element>& memory,
          const AttentionSums& sums, std::size_t lane)
      : task_(task),
        heads_(shape.heads),
        positions_(shape.positions),
        sentences_(task.training.size()),
        roles_(roles_of(task)),
        sums1_(sums.layer1, memory.width, lane),
        sums2_(sums.layer2, memory.width, lane),
        attention1_(memory.attention1, memory.width, lane),
        attention2_(memory.attention2, memory.width, lane),
        direct_(memory.direct, memory.width, lane),
        difference_(memory.answers.difference, memory.width, lane),
        named_(memory.answers.named, memory.width, lane) {
    for (const Sentence& sentence : task.training) referent_count_[sentence.referent] += 1;
    for (const Role role : roles_) role_count_[role] += 1;
  }

  AttentionMeasures measures(AttentionMaps maps) {
    static_cast<AttentionMaps&>(result_) = std::move(maps);
    result_.role_attention = Array<double, 5>({2, kLayers, heads_, kRoles, kRoles});
    result_.part_attention = Array<double, 4>({2, kLayers, heads_, kParts});
    result_.confidence = Array<double, 2>({kLayers, heads_});
    result_.entropy = Array<double, 2>({kLayers, heads_});
    for (std::size_t head = 0; head < heads_; ++head) {
      for (std::size_t referent = 0; referent < 2; ++referent) add_sums(referent, head);
      for (std::size_t s = 0; s < sentences_; ++s) {
        const std::size_t row = s * heads_ + head;
        add_it(0, head, attention1_, (row * positions_ + task_.it) * positions_);
        add_it(1, head, attention2_, row * positions_);
      }
    }
    turn_sums_to_means();
    add_answers();
    return std::move(result_);
  }

 private:
  // A head's roles and parts over the sentences of a referent.
  void add_sums(std::size_t referent, std::size_t head) {
    const std::size_t row = referent * heads_ + head;
    for (std::size_t query = 0; query < positions_; ++query)
      add_query(referent, 0, head, query, sums1_, (row * positions_ + query) * positions_);
    add_query(referent, 1, head, task_.it, sums2_, row * positions_);
  }
  void add_query(std::size_t referent, std::size_t layer, std::size_t head, std::size_t query,
                 const LaneValues<double>& sums, std::size_t first) {
    const auto roles = result_.role_attention.row(referent, layer, head, roles_[query]);
    const auto parts = result_.part_attention.row(referent, layer, head);
    for (std::size_t key = 0; key < positions_; ++key) {
      roles[roles_[key]] += sums[first + key];
      if (query == task_.it) parts[part_of(roles_[key], referent)] += sums[first + key];
    }
  }

  // A sentence's weights from "it", those from `first` on.
  void add_it(std::size_t layer, std::size_t head, const LaneValues<Element>& attention,
              std::size_t first) {
    double largest = 0;
    double entropy = 0;
    for (std::size_t key = 0; key < positions_; ++key) {
      const double share = static_cast<double>(attention[first + key]);
      largest = share > largest || share != share ? share : largest;
      if (share != 0) entropy -= share * math::log(share);
    }
    result_.confidence(layer, head) += largest;
    result_.entropy(layer, head) += entropy;
  }

  void turn_sums_to_means() {
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      for (std::size_t head = 0; head < heads_; ++head) {
        result_.confidence(layer, head) /= static_cast<double>(sentences_);
        result_.entropy(layer, head) /= static_cast<double>(sentences_);
        for (std::size_t referent = 0; referent < 2; ++referent) {
          for (double& part : result_.part_attention.row(referent, layer, head))
            part /= referent_count_[referent];
          for (std::size_t query = 0; query < kRoles; ++query) {
            // A count of 0 makes a NaN of the sum, which is 0 too.
            const double queries = layer == 0 || query == kSelf ? role_count_[query] : 0;
            for (double& role : result_.role_attention.row(referent, layer, head, query))
              role /= referent_count_[referent] * queries;
          }
        }
      }
    }
  }

  void add_answers() {
    const std::size_t components = 1 + kLayers * heads_;
    std::vector<MeanByReferent> means(components);
    for (std::size_t s = 0; s < sentences_; ++s) {
      for (std::size_t c = 0; c < components; ++c)
        means[c].add(task_.training[s].referent, static_cast<double>(direct_[s * components + c]));
      result_.logit_difference.push_back(static_cast<double>(difference_[s]));
      result_.named.push_back(static_cast<std::int32_t>(named_[s]));
    }
    result_.direct_logit = Array<double, 2>({2, components});
    for (std::size_t c = 0; c < components; ++c) {
      for (std::size_t referent = 0; referent < 2; ++referent)
        result_.direct_logit(referent, c) = means[c].of(referent);
    }
  }

  const Task& task_;
  std::size_t heads_;
  std::size_t positions_;
  std::size_t sentences_;
  std::vector<Role> roles_;
  LaneValues<double> sums1_;  // [referent, head, query, key]
  LaneValues<double> sums2_;  // [referent, head, key]
  LaneValues<Element> attention1_;
  LaneValues<Element> attention2_;
  LaneValues<Element> direct_;
  LaneValues<Element> difference_;
  LaneValues<Element> named_;
  std::array<double, 2> referent_count_{};
  std::array<double, kRoles> role_count_{};
  AttentionMeasures result_;
};

// summarise(memory, its number of seeds) of every group of seeds, in order.
template <class Element, class Summarise>
void look_at_all(const LanePrograms<Element>& programs, const Task& task, const TrainingSpec& spec,
                 std::span<const std::vector<double>> parameters, bool with_answers,
                 Summarise summarise) {
  LookMemory<Element> memory(spec.shape, task.training.size(), programs.width, with_answers);
  for_each_group<Element>(programs.width, task, spec, task.training, parameters,
                          [&](const SeedGroup<Element>& group, std::size_t first) {
                            programs.look(group, memory.results());
                            summarise(memory, std::min(programs.width, parameters.size() - first));
                          });
}

template <class Element>
std::vector<AttentionMaps> maps(const LanePrograms<Element>& programs, const Task& task,
                                const TrainingSpec& spec,
                                std::span<const std::vector<double>> parameters, bool with_layer1) {
  std::vector<AttentionMaps> result;
  look_at_all(programs, task, spec, parameters, false,
              [&](const LookMemory<Element>& memory, std::size_t seeds) {
                for (std::size_t lane = 0; lane < seeds; ++lane)
                  result.push_back(maps_of(task, spec.shape, memory, lane, with_layer1));
              });
  return result;
}

template <class Element>
std::vector<AttentionMeasures> measures(const LanePrograms<Element>& programs, const Task& task,
                                        const TrainingSpec& spec,
                                        std::span<const std::vector<double>> parameters,
                                        bool with_layer1) {
  std::vector<AttentionMeasures> result;
  look_at_all(
      programs, task, spec, parameters, true,
      [&](const LookMemory<Element>& memory, std::size_t seeds) {
        const AttentionSums sums(task, memory);
        for (std::size_t lane = 0; lane < seeds; ++lane) {
          result.push_back(Summary<Element>(task, spec.shape, memory, sums, lane)
                               .measures(maps_of(task, spec.shape, memory, lane, with_layer1)));
        }
      });
  return result;
}

}  // namespace

std::vector<AttentionMaps> read_attention(const Task& task, const TrainingSpec& spec,
                                          std::span<const std::vector<double>> parameters,
                                          bool with_layer1, Processor processor) {
  return with_programs(processor, spec.precision, [&](const auto& programs) {
    return maps(programs, task, spec, parameters, with_layer1);
  });
}

std::vector<AttentionMeasures> measure_attention(const Task& task, const TrainingSpec& spec,
                                                 std::span<const std::vector<double>> parameters,
                                                 bool with_layer1, Processor processor) {
  return with_programs(processor, spec.precision, [&](const auto& programs) {
    return measures(programs, task, spec, parameters, with_layer1);
  });
}

}  // namespace refran::referent
