#include "config.h"

#include <algorithm>
#include <set>

#include <arithmetic/matrix.h>
#include <fmt/format.h>

namespace refran::greedy_decoder {
namespace {

constexpr const char* kEnd = "</s>";

std::string field_of(std::size_t candidate, const char* name) {
  return fmt::format("vocabulary[{}].{}", candidate, name);
}

}  // namespace

void Candidate::describe(Fields& field) {
  field("word", word, "The word; </s> ends the sentence").required();
  field("embedding", embedding, "Its output embedding: the dot product with the state is its logit")
      .required();
  field("step", step,
        "Its step vector: added to the state once the word is written; </s> has none");
}

void Config::describe(Fields& field) {
  field("inputs", inputs, "The Galician inputs; each is translated on its own").required().items(1);
  field("encoder", encoder,
        "The encoder, as in toy-encoder; the decoder starts from its last summary");
  field("vocabulary", vocabulary,
        "What the decoder can write; of equally likely words the first is taken")
      .required()
      .items(2);
  field("strategy", strategy,
        "Write the most likely word, draw one, or keep several beginnings of a sentence")
      .one_of({"greedy", "sample", "beam"});
  field("beam_size", beam_size, "For beam: how many beginnings are kept at every step")
      .range(1, 1000);
  field("temperature", temperature,
        "Logits are divided by it: below 1 sharpens the probabilities, above 1 flattens")
      .above(0);
  field("max_steps", max_steps, "Words written at most, </s> among them").range(1, 10000);
}

void Config::check(Problems& problems) const {
  check_words(problems);
  const std::size_t before = problems.problems().size();
  std::vector<plugins::Sentence> sentences;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    sentences.push_back({fmt::format("inputs[{}]", i), inputs[i]});
  encoder.check("encoder.", sentences, problems);
  if (problems.problems().size() == before) check_vectors(encoder.dims(), problems);
}

void Config::check_words(Problems& problems) const {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    if (seen.insert(vocabulary[i].word).second) continue;
    problems.add(
        field_of(i, "word"),
        fmt::format("found '{}' a second time, allowed: every word once", vocabulary[i].word));
  }
  if (!seen.contains(kEnd)) {
    problems.add(
        "vocabulary",
        fmt::format("found no '{0}', allowed: a vocabulary with '{0}', which ends a sentence",
                    kEnd));
  }
}

void Config::check_vectors(std::size_t dims, Problems& problems) const {
  const auto check_size = [&](std::size_t i, const char* name, const std::vector<double>& vector) {
    if (vector.size() == dims) return;
    problems.add(
        field_of(i, name),
        fmt::format(
            "found {} numbers for '{}', allowed: {}, as in the points of the Galician words",
            vector.size(), vocabulary[i].word, dims));
  };
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    check_size(i, "embedding", vocabulary[i].embedding);
    if (vocabulary[i].word != kEnd) {
      check_size(i, "step", vocabulary[i].step);
    } else if (!vocabulary[i].step.empty()) {
      problems.add(
          field_of(i, "step"),
          fmt::format("found a step vector for '{}', allowed: none, since nothing follows it",
                      kEnd));
    }
  }
}

arithmetic::Vocabulary Config::candidates() const {
  arithmetic::Vocabulary result;
  std::vector<std::vector<double>> embeddings;
  std::vector<std::vector<double>> steps;
  for (const Candidate& candidate : vocabulary) {
    if (candidate.word == kEnd) result.end = result.words.size();
    result.words.push_back(candidate.word);
    embeddings.push_back(candidate.embedding);
    steps.push_back(candidate.step);
  }
  const std::size_t dims = embeddings.front().size();
  result.embedding = arithmetic::matrix(embeddings, dims);
  result.step = arithmetic::matrix(steps, dims);
  return result;
}

arithmetic::Limits Config::limits() const {
  return {temperature, static_cast<std::size_t>(max_steps)};
}

}  // namespace refran::greedy_decoder
