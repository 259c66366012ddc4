#include "recording.h"

#include <algorithm>

#include <referent_model/measurements.h>

namespace refran::referent_training {

Recording::Recording(const referent::Task& task, std::vector<referent::Sentence> sentences,
                     const referent::TrainingSpec& spec, std::vector<std::size_t> steps,
                     bool with_maps)
    : task_(task), spec_(spec), steps_(std::move(steps)), with_maps_(with_maps) {
  task_.training = std::move(sentences);
}

bool Recording::is_recorded(std::size_t step) const {
  return std::ranges::binary_search(steps_, step);
}

void Recording::prepare(Trained& seed) const {
  const std::size_t sentences = task_.training.size();
  const std::size_t heads = spec_.shape.heads;
  const std::size_t positions = task_.positions;
  seed.it_attention =
      Array<float, 5>({steps_.size(), sentences, referent::kLayers, heads, positions});
  if (with_maps_)
    seed.layer1_attention =
        Array<float, 5>({steps_.size(), sentences, heads, positions, positions});
}

void Recording::record(std::size_t step, std::span<const std::vector<double>> parameters,
                       std::span<Trained* const> seeds) const {
  const auto index =
      static_cast<std::size_t>(std::ranges::lower_bound(steps_, step) - steps_.begin());
  const std::vector<referent::AttentionMaps> looks =
      referent::read_attention(task_, spec_, parameters, with_maps_);
  const auto copy = [index](std::span<const float> from, std::span<float> to) {
    std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(index * from.size()));
  };
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    copy(looks[i].it_attention.values(), seeds[i]->it_attention.values());
    if (with_maps_) copy(looks[i].layer1_attention.values(), seeds[i]->layer1_attention.values());
  }
}

}  // namespace refran::referent_training
