// Seeds in groups of as many as there are lanes: parameters in, results out, for the measurements.
// Not for code on lanes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "lane_programs.h"
#include "model.h"
#include "task.h"
#include "training.h"

namespace refran::referent {

// Values of one seed in memory [i, lane].
template <class Element>
class LaneValues {
 public:
  LaneValues(const std::vector<Element>& memory, std::size_t width, std::size_t lane)
      : first_(memory.data() + lane), width_(width) {}

  Element operator[](std::size_t i) const { return first_[i * width_]; }

 private:
  const Element* first_;
  std::size_t width_;
};

// Memory for `count` answers of a group of seeds.
template <class Element>
struct AnswerMemory {
  AnswerMemory(std::size_t count, std::size_t width)
      : loss(count * width), difference(count * width), named(count * width) {}

  Answers<Element> answers() { return {loss.data(), difference.data(), named.data()}; }

  std::vector<Element> loss;
  std::vector<Element> difference;
  std::vector<Element> named;
};

// A mean over sentences, and one over those of each referent; NaN where there is none.
class MeanByReferent {
 public:
  void add(std::size_t referent, double value) {
    sum_[referent] += value;
    count_[referent] += 1;
  }
  double all() const { return (sum_[0] + sum_[1]) / (count_[0] + count_[1]); }
  double of(std::size_t referent) const { return sum_[referent] / count_[referent]; }

 private:
  std::array<double, 2> sum_{};
  std::array<double, 2> count_{};
};

// [parameter, lane] of the group that begins with seed `first`; lanes without a seed hold zeros.
template <class Element>
std::vector<Element> lanes_of(const ModelShape& shape,
                              std::span<const std::vector<double>> parameters, std::size_t first,
                              std::size_t width) {
  const std::size_t size = ParameterLayout(shape).size;
  std::vector<Element> lanes(size * width);
  const std::size_t seeds = std::min(width, parameters.size() - first);
  for (std::size_t lane = 0; lane < seeds; ++lane) {
    if (parameters[first + lane].size() != size)
      throw std::invalid_argument("found parameters of another model's size");
    for (std::size_t i = 0; i < size; ++i)
      lanes[i * width + lane] = static_cast<Element>(parameters[first + lane][i]);
  }
  return lanes;
}

// Calls `measure(group, first)` for each group of seeds, `first` being its first seed.
template <class Element, class Function>
void for_each_group(std::size_t width, const Task& task, const TrainingSpec& spec,
                    std::span<const Sentence> sentences,
                    std::span<const std::vector<double>> parameters, Function measure) {
  for (std::size_t first = 0; first < parameters.size(); first += width) {
    const std::vector<Element> lanes = lanes_of<Element>(spec.shape, parameters, first, width);
    measure(SeedGroup<Element>{.shape = &spec.shape,
                               .attention = spec.attention,
                               .it = task.it,
                               .sentences = sentences.data(),
                               .sentence_count = sentences.size(),
                               .parameters = lanes.data()},
            first);
  }
}

}  // namespace refran::referent
