// The model with every subset of its heads switched off, several seeds at once.
//
// A head that is off has its output (before W_O) replaced by one that stands in for it; everything
// after goes through the same functions as in the whole model, so that a head left on changes no
// bit. Layer 1's subsets cost a pass of layer 2 each; layer 2's heads only add to the stream, so
// that its subsets are sums that share their beginnings.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include <lanes/lanes.h>

#include "lane_programs.h"
#include "look_lanes.h"
#include "measurements.h"
#include "plain_model.h"

namespace refran::referent {

template <class Lanes>
class Ablation {
 public:
  using Element = typename Lanes::Element;

  explicit Ablation(const SeedGroup<Element>& group)
      : group_(group),
        shape_(*group.shape),
        parameters_(parameters_of<Lanes>(group)),
        model_(shape_, group.it, parameters_.data()),
        stream_size_(shape_.positions * shape_.model_dim),
        size1_(shape_.heads * shape_.positions * shape_.value_dim),
        size2_(shape_.heads * shape_.value_dim),
        layer_subsets_(std::size_t{1} << shape_.heads),
        embedding_(group.sentence_count * stream_size_),
        on1_(group.sentence_count * size1_),
        on2_(group.sentence_count * size2_),
        off1_(on1_.size()),
        off2_(on2_.size()),
        mixed1_(size1_),
        mixed2_(size2_),
        finals_(layer_subsets_ * shape_.model_dim) {}

  // `resampled` is [sentence, lane].
  void run(const std::size_t* resampled, const AblationResults<Element>& results) {
    pass_whole();
    for (std::size_t mode = 0; mode < kAblationModes; ++mode) {
      make_stand_ins(static_cast<AblationMode>(mode), resampled);
      for (std::size_t s = 0; s < group_.sentence_count; ++s)
        ablate_sentence(static_cast<AblationMode>(mode), s, results);
    }
  }

 private:
  // The whole model: embedding_ [sentence, position, model_dim], on1_ [sentence, head, position,
  // value_dim] and on2_ [sentence, head, value_dim].
  void pass_whole() {
    for (std::size_t s = 0; s < group_.sentence_count; ++s) {
      activations_ = model_.forward(group_.sentences[s], group_.attention);
      copy(activations_.embedding.data(), stream_size_, &embedding_[s * stream_size_]);
      copy(activations_.output1.data(), size1_, &on1_[s * size1_]);
      copy(activations_.output2.data(), size2_, &on2_[s * size2_]);
    }
  }

  // off1_ and off2_, with the axes of on1_ and on2_: the outputs of heads that are off. Layer 2's
  // in mode uniform depend on the stream and are made on the way.
  void make_stand_ins(AblationMode mode, const std::size_t* resampled) {
    switch (mode) {
      case AblationMode::zero:
        fill_zero(off1_);
        fill_zero(off2_);
        break;
      case AblationMode::uniform:
        look_everywhere();
        break;
      case AblationMode::mean:
        average(on1_, size1_, off1_);
        average(on2_, size2_, off2_);
        break;
      case AblationMode::resample:
        take_from_others(on1_, size1_, resampled, off1_);
        take_from_others(on2_, size2_, resampled, off2_);
        break;
    }
  }

  void look_everywhere() {
    for (std::size_t s = 0; s < group_.sentence_count; ++s) {
      for (std::size_t head = 0; head < shape_.heads; ++head) {
        model_.attend(head, AttentionKind::uniform, &embedding_[s * stream_size_],
                      activations_.attention1.data(), &off1_[s * size1_]);
      }
    }
  }

  // off [sentence, i] = the mean of on [sentence, i] over sentences.
  void average(const std::vector<Lanes>& on, std::size_t size, std::vector<Lanes>& off) const {
    const Lanes count = Lanes::of(static_cast<Element>(group_.sentence_count));
    for (std::size_t i = 0; i < size; ++i) {
      Lanes sum = Lanes::of(0);
      for (std::size_t s = 0; s < group_.sentence_count; ++s) sum = sum + on[s * size + i];
      const Lanes mean = sum / count;
      for (std::size_t s = 0; s < group_.sentence_count; ++s) off[s * size + i] = mean;
    }
  }

  // off [sentence, i] = on [resampled [sentence, lane], i], lane by lane.
  void take_from_others(const std::vector<Lanes>& on, std::size_t size,
                        const std::size_t* resampled, std::vector<Lanes>& off) const {
    for (std::size_t s = 0; s < group_.sentence_count; ++s) {
      for (std::size_t lane = 0; lane < Lanes::kWidth; ++lane) {
        const std::size_t other = resampled[s * Lanes::kWidth + lane];
        copy_lane(&on[other * size], size, lane, &off[s * size]);
      }
    }
  }

  // Every subset of one sentence: those of layer 1 one by one, those of layer 2 together.
  void ablate_sentence(AblationMode mode, std::size_t s, const AblationResults<Element>& results) {
    for (std::size_t subset1 = 0; subset1 < layer_subsets_; ++subset1) {
      mix_layer1(subset1, s);
      model_.add_heads(&embedding_[s * stream_size_], mixed1_.data(), activations_.hidden.data());
      ask_layer2(mode, s);
      branch_layer2(s);
      for (std::size_t subset2 = 0; subset2 < layer_subsets_; ++subset2) {
        const std::size_t subset = subset2 * layer_subsets_ + subset1;
        const std::size_t row =
            static_cast<std::size_t>(mode) * layer_subsets_ * layer_subsets_ + subset;
        model_.unembed(&finals_[subset2 * shape_.model_dim], activations_.logit.data());
        store_answer(activations_.logit.data(), shape_.words, group_.sentences[s],
                     row * group_.sentence_count + s, results.answers);
      }
    }
  }

  // mixed1_ [head, position, value_dim]: of each head what it does, or what stands in for it.
  void mix_layer1(std::size_t subset, std::size_t s) {
    const std::size_t size = shape_.positions * shape_.value_dim;
    for (std::size_t head = 0; head < shape_.heads; ++head) {
      const std::vector<Lanes>& from = is_off(subset, head) ? off1_ : on1_;
      copy(&from[s * size1_ + head * size], size, &mixed1_[head * size]);
    }
  }

  // mixed2_ [head, value_dim]: what layer 2 does with the stream as it is now.
  void ask_layer2(AblationMode mode, std::size_t s) {
    for (std::size_t head = 0; head < shape_.heads; ++head) {
      model_.ask(head, group_.attention, activations_.hidden.data(), activations_.attention2.data(),
                 mixed2_.data());
      if (mode == AblationMode::uniform) {
        model_.ask(head, AttentionKind::uniform, activations_.hidden.data(),
                   activations_.attention2.data(), &off2_[s * size2_]);
      }
    }
  }

  // finals_ [layer-2 subset, model_dim]: each head adds its output to all sums of the heads before
  // it, and what stands in for it to copies of them.
  void branch_layer2(std::size_t s) {
    const std::size_t dims = shape_.model_dim;
    copy(&activations_.hidden[group_.it * dims], dims, finals_.data());
    for (std::size_t head = 0; head < shape_.heads; ++head) {
      const std::size_t before = std::size_t{1} << head;
      const std::size_t output = head * shape_.value_dim;
      for (std::size_t subset = 0; subset < before; ++subset) {
        Lanes* const on = &finals_[subset * dims];
        Lanes* const off = &finals_[(before + subset) * dims];
        copy(on, dims, off);
        model_.add_output(1, head, &mixed2_[output], on);
        model_.add_output(1, head, &off2_[s * size2_ + output], off);
      }
    }
  }

  static bool is_off(std::size_t subset, std::size_t head) { return (subset >> head & 1) != 0; }

  static void copy(const Lanes* from, std::size_t count, Lanes* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  }

  static void copy_lane(const Lanes* from, std::size_t count, std::size_t lane, Lanes* to) {
    const std::size_t offset = lane * sizeof(Element);
    const char* const source = reinterpret_cast<const char*>(from) + offset;
    char* const target = reinterpret_cast<char*>(to) + offset;
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(target + i * sizeof(Lanes), source + i * sizeof(Lanes), sizeof(Element));
  }

  static void fill_zero(std::vector<Lanes>& values) {
    for (Lanes& value : values) value = Lanes::of(0);
  }

  const SeedGroup<Element> group_;
  const ModelShape shape_;
  const std::vector<Lanes> parameters_;
  const PlainModel<Lanes> model_;
  const std::size_t stream_size_;  // of one sentence's embedding, in lanes
  const std::size_t size1_;        // of one sentence's outputs of layer 1
  const std::size_t size2_;        // and of layer 2
  const std::size_t layer_subsets_;

  std::vector<Lanes> embedding_;
  std::vector<Lanes> on1_;
  std::vector<Lanes> on2_;
  std::vector<Lanes> off1_;
  std::vector<Lanes> off2_;
  std::vector<Lanes> mixed1_;
  std::vector<Lanes> mixed2_;
  std::vector<Lanes> finals_;
  Activations<Lanes> activations_;  // of the sentence at hand
};

template <class Lanes>
void ablate(const SeedGroup<typename Lanes::Element>& group, const std::size_t* resampled,
            const AblationResults<typename Lanes::Element>& results) {
  Ablation<Lanes>(group).run(resampled, results);
}

}  // namespace refran::referent
