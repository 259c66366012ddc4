// What one pass of the model shows, several seeds at once: where its heads look, what each adds to
// the answer, and what the answer is worth.
#pragma once

#include <cstddef>
#include <vector>

#include <lanes/lanes.h>

#include "lane_programs.h"
#include "plain_model.h"

namespace refran::referent {

// values [i] -> memory [i, lane].
template <class Lanes>
void store_all(const Lanes* values, std::size_t count, typename Lanes::Element* memory) {
  for (std::size_t i = 0; i < count; ++i) values[i].store(memory + i * Lanes::kWidth);
}

// [parameter]
template <class Lanes>
std::vector<Lanes> parameters_of(const SeedGroup<typename Lanes::Element>& group) {
  std::vector<Lanes> parameters(ParameterLayout(*group.shape).size);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    parameters[i] = Lanes::load(group.parameters + i * Lanes::kWidth);
  return parameters;
}

// 0 where the target is the most likely word, 1 where the distractor is, else 2. logit is [word].
template <class Lanes>
Lanes named_word(const Lanes* logit, std::size_t words, const Sentence& sentence) {
  const Lanes is_target = is_right(logit, words, sentence.target);
  const Lanes is_distractor = is_right(logit, words, sentence.distractor);
  return Lanes::of(2) - is_target - is_target - is_distractor;
}

// Writes what a sentence's logits [word] are worth to place `index` of the answers.
template <class Lanes>
void store_answer(const Lanes* logit, std::size_t words, const Sentence& sentence,
                  std::size_t index, const Answers<typename Lanes::Element>& answers) {
  const std::size_t at = index * Lanes::kWidth;
  cross_entropy(logit, words, sentence.target).store(answers.loss + at);
  (logit[sentence.target] - logit[sentence.distractor]).store(answers.difference + at);
  named_word(logit, words, sentence).store(answers.named + at);
}

// Writes each component's contribution to the logit difference, as unembedding is linear:
// direct [component, lane].
template <class Lanes>
void store_direct(const PlainModel<Lanes>& model, std::size_t it, const Sentence& sentence,
                  const Activations<Lanes>& whole, typename Lanes::Element* direct) {
  const ModelShape& shape = model.shape();
  std::vector<Lanes> vector(shape.model_dim);
  std::vector<Lanes> logit(shape.words);
  const auto store_next = [&] {
    model.unembed(vector.data(), logit.data());
    (logit[sentence.target] - logit[sentence.distractor]).store(direct);
    direct += Lanes::kWidth;
  };
  for (std::size_t d = 0; d < shape.model_dim; ++d)
    vector[d] = whole.embedding[it * shape.model_dim + d];
  store_next();
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    for (std::size_t head = 0; head < shape.heads; ++head) {
      const Lanes* const output =
          layer == 0 ? &whole.output1[(head * shape.positions + it) * shape.value_dim]
                     : &whole.output2[head * shape.value_dim];
      for (Lanes& value : vector) value = Lanes::of(0);
      model.add_output(layer, head, output, vector.data());
      store_next();
    }
  }
}

template <class Lanes>
void look(const SeedGroup<typename Lanes::Element>& group,
          const LookResults<typename Lanes::Element>& results) {
  const std::vector<Lanes> parameters = parameters_of<Lanes>(group);
  const PlainModel<Lanes> model(*group.shape, group.it, parameters.data());
  const std::size_t components = 1 + group.shape->all_heads();
  for (std::size_t s = 0; s < group.sentence_count; ++s) {
    const Sentence& sentence = group.sentences[s];
    const Activations<Lanes> whole = model.forward(sentence, group.attention);
    const std::size_t size1 = whole.attention1.size();
    const std::size_t size2 = whole.attention2.size();
    store_all(whole.attention1.data(), size1, results.attention1 + s * size1 * Lanes::kWidth);
    store_all(whole.attention2.data(), size2, results.attention2 + s * size2 * Lanes::kWidth);
    if (results.direct == nullptr) continue;
    store_direct(model, group.it, sentence, whole, results.direct + s * components * Lanes::kWidth);
    store_answer(whole.logit.data(), group.shape->words, sentence, s, results.answers);
  }
}

template <class Lanes>
void score(const SeedGroup<typename Lanes::Element>& group,
           const Answers<typename Lanes::Element>& answers) {
  const std::vector<Lanes> parameters = parameters_of<Lanes>(group);
  const PlainModel<Lanes> model(*group.shape, group.it, parameters.data());
  for (std::size_t s = 0; s < group.sentence_count; ++s) {
    const Activations<Lanes> whole = model.forward(group.sentences[s], group.attention);
    store_answer(whole.logit.data(), group.shape->words, group.sentences[s], s, answers);
  }
}

}  // namespace refran::referent
