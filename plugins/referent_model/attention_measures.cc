// measure_attention: where the heads look over all training sentences, and what each contributes,
// summed up seed by seed.
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

// What a group of seeds leaves behind, as LookResults says.
template <class Element>
struct LookMemory {
  LookMemory(const ModelShape& shape, std::size_t sentences, std::size_t seeds)
      : width(seeds),
        attention1(sentences * shape.heads * shape.positions * shape.positions * seeds),
        attention2(sentences * shape.heads * shape.positions * seeds),
        direct(sentences * (1 + shape.all_heads()) * seeds),
        answers(sentences, seeds) {}

  LookResults<Element> results() {
    return {attention1.data(), attention2.data(), direct.data(), answers.answers()};
  }

  std::size_t width;
  std::vector<Element> attention1;
  std::vector<Element> attention2;
  std::vector<Element> direct;
  AnswerMemory<Element> answers;
};

// Sums up one seed of a group.
template <class Element>
class Summary {
 public:
  Summary(const Task& task, const ModelShape& shape, const LookMemory<Element>& memory,
          std::size_t lane)
      : task_(task),
        heads_(shape.heads),
        positions_(shape.positions),
        sentences_(task.training.size()),
        roles_(roles_of(task)),
        attention1_(memory.attention1, memory.width, lane),
        attention2_(memory.attention2, memory.width, lane),
        direct_(memory.direct, memory.width, lane),
        difference_(memory.answers.difference, memory.width, lane),
        named_(memory.answers.named, memory.width, lane) {
    for (const Sentence& sentence : task.training) referent_count_[sentence.referent] += 1;
    for (const Role role : roles_) role_count_[role] += 1;
  }

  AttentionMeasures measures(bool with_layer1) {
    result_.it_attention = Array<float, 4>({sentences_, kLayers, heads_, positions_});
    result_.role_attention = Array<double, 5>({2, kLayers, heads_, kRoles, kRoles});
    result_.part_attention = Array<double, 4>({2, kLayers, heads_, kParts});
    result_.confidence = Array<double, 2>({kLayers, heads_});
    result_.entropy = Array<double, 2>({kLayers, heads_});
    for (std::size_t s = 0; s < sentences_; ++s) {
      for (std::size_t head = 0; head < heads_; ++head) {
        add_layer1(s, head);
        for (std::size_t layer = 0; layer < kLayers; ++layer) add_it(s, layer, head);
      }
    }
    turn_sums_to_means();
    if (with_layer1) copy_layer1();
    add_answers();
    return std::move(result_);
  }

 private:
  Element weight1(std::size_t s, std::size_t head, std::size_t query, std::size_t key) const {
    return attention1_[((s * heads_ + head) * positions_ + query) * positions_ + key];
  }
  // From "it".
  Element weight(std::size_t s, std::size_t layer, std::size_t head, std::size_t key) const {
    return layer == 0 ? weight1(s, head, task_.it, key)
                      : attention2_[(s * heads_ + head) * positions_ + key];
  }

  // All queries but "it", which both layers have.
  void add_layer1(std::size_t s, std::size_t head) {
    const std::size_t referent = task_.training[s].referent;
    for (std::size_t query = 0; query < positions_; ++query) {
      if (query == task_.it) continue;
      const auto sums = result_.role_attention.row(referent, 0, head, roles_[query]);
      for (std::size_t key = 0; key < positions_; ++key)
        sums[roles_[key]] += static_cast<double>(weight1(s, head, query, key));
    }
  }

  void add_it(std::size_t s, std::size_t layer, std::size_t head) {
    const std::size_t referent = task_.training[s].referent;
    const auto roles = result_.role_attention.row(referent, layer, head, kSelf);
    const auto parts = result_.part_attention.row(referent, layer, head);
    const auto kept = result_.it_attention.row(s, layer, head);
    double largest = 0;
    for (std::size_t key = 0; key < positions_; ++key) {
      const double share = static_cast<double>(weight(s, layer, head, key));
      roles[roles_[key]] += share;
      parts[part_of(roles_[key], referent)] += share;
      kept[key] = static_cast<float>(share);
      largest = share > largest || share != share ? share : largest;
      if (share != 0) result_.entropy(layer, head) -= share * math::log(share);
    }
    result_.confidence(layer, head) += largest;
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

  void copy_layer1() {
    result_.layer1_attention = Array<float, 4>({sentences_, heads_, positions_, positions_});
    const std::span<float> values = result_.layer1_attention.values();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(attention1_[i]);
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
  LaneValues<Element> attention1_;
  LaneValues<Element> attention2_;
  LaneValues<Element> direct_;
  LaneValues<Element> difference_;
  LaneValues<Element> named_;
  std::array<double, 2> referent_count_{};
  std::array<double, kRoles> role_count_{};
  AttentionMeasures result_;
};

template <class Element>
std::vector<AttentionMeasures> looks(const LanePrograms<Element>& programs, const Task& task,
                                     const TrainingSpec& spec,
                                     std::span<const std::vector<double>> parameters,
                                     bool with_layer1) {
  std::vector<AttentionMeasures> result;
  LookMemory<Element> memory(spec.shape, task.training.size(), programs.width);
  for_each_group<Element>(
      programs.width, task, spec, task.training, parameters,
      [&](const SeedGroup<Element>& group, std::size_t first) {
        programs.look(group, memory.results());
        const std::size_t seeds = std::min(programs.width, parameters.size() - first);
        for (std::size_t lane = 0; lane < seeds; ++lane)
          result.push_back(Summary<Element>(task, spec.shape, memory, lane).measures(with_layer1));
      });
  return result;
}

}  // namespace

std::vector<AttentionMeasures> measure_attention(const Task& task, const TrainingSpec& spec,
                                                 std::span<const std::vector<double>> parameters,
                                                 bool with_layer1, Processor processor) {
  const ProcessorPrograms& programs = programs_for(processor);
  return spec.precision == Precision::float32
             ? looks(programs.float32, task, spec, parameters, with_layer1)
             : looks(programs.float64, task, spec, parameters, with_layer1);
}

}  // namespace refran::referent
