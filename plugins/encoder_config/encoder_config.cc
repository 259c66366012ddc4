#include "encoder_config.h"

#include <algorithm>
#include <map>

#include <arithmetic/matrix.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace refran::plugins {
namespace {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

void EncoderRule::describe(Fields& field) {
  field(
      "rate", rate,
      "Share of the way each word moves the summary toward its point: one number, or one per word")
      .range(0, 1);
  field("start", start,
        "Where the summary is before the first word: at the origin, or at the first word's point")
      .one_of({"origin", "first-word"});
}

void EncoderRule::check_rate(const std::string& prefix, std::size_t words,
                             const std::string& sentence, Problems& problems) const {
  if (!rate.is_list || rate.values.size() == words) return;
  problems.add(prefix + "rate",
               fmt::format("found {} for {} ({}), allowed: one number, or one per word",
                           counted(rate.values.size(), "rate"), counted(words, "word"), sentence));
}

std::vector<double> EncoderRule::rates(std::size_t words) const {
  std::vector<double> all(words);
  for (std::size_t word = 0; word < words; ++word) all[word] = rate[word];
  return all;
}

arithmetic::Start EncoderRule::start_at() const {
  return start == "origin" ? arithmetic::Start::origin : arithmetic::Start::first_word;
}

void EncoderConfig::describe(Fields& field) {
  EncoderRule::describe(field);
  field("case", letters, "Whether Unha and unha are two words (keep) or one (fold)")
      .one_of({"keep", "fold"});
  field("points", points,
        "The point of every word, in any number of dimensions; repeats of a word share it");
  field("vectors", vectors, "A file with the points instead: a word and its numbers per line")
      .existing_file();
}

arithmetic::Case EncoderConfig::letter_case() const {
  return letters == "fold" ? arithmetic::Case::fold : arithmetic::Case::keep;
}

arithmetic::NamedVectors EncoderConfig::listed_points() const {
  return vectors.empty() ? points : arithmetic::read_vectors(vectors);
}

arithmetic::NamedVectors EncoderConfig::normalized_points() const {
  arithmetic::NamedVectors table = listed_points();
  for (auto& [word, point] : table) word = arithmetic::normalized(word, letter_case());
  return table;
}

std::size_t EncoderConfig::dims() const {
  const arithmetic::NamedVectors table = listed_points();
  return table.empty() ? 0 : table.front().second.size();
}

void EncoderConfig::check_points(const std::string& prefix, Problems& problems) const {
  const arithmetic::NamedVectors listed = listed_points();
  const auto has_numbers = [](const auto& entry) { return !entry.second.empty(); };
  const auto model = std::ranges::find_if(listed, has_numbers);  // whose dimension all must have
  std::map<std::string, std::string> seen;  // from the normalized word to the listed one
  for (const auto& [word, point] : listed) {
    const std::string field =
        vectors.empty() ? fmt::format("{}points.{}", prefix, word) : prefix + "vectors";
    const auto [first, is_new] = seen.emplace(arithmetic::normalized(word, letter_case()), word);
    if (!is_new) {
      problems.add(field, fmt::format("found a second point for '{}' (the first is that of '{}'), "
                                      "allowed: one point per word",
                                      word, first->second));
    }
    if (point.empty()) {
      problems.add(field,
                   fmt::format("found no numbers for '{}', allowed: one per dimension", word));
    } else if (point.size() != model->second.size()) {
      problems.add(field, fmt::format("found {} for '{}', allowed: {}, as for '{}'",
                                      counted(point.size(), "number"), word, model->second.size(),
                                      model->first));
    }
  }
}

void EncoderConfig::check_sentence(const std::string& prefix, const Sentence& sentence,
                                   const arithmetic::NamedVectors& table,
                                   Problems& problems) const {
  const std::vector<std::string> words = arithmetic::words_of(sentence.text, letter_case());
  if (words.empty()) {
    problems.add(
        sentence.field,
        fmt::format("found no words in '{}', allowed: a sentence of at least one", sentence.text));
    return;
  }
  std::vector<std::string> missing;
  for (const std::string& word : arithmetic::types_of(words)) {
    if (arithmetic::find_vector(table, word) == nullptr) missing.push_back(word);
  }
  if (!missing.empty()) {
    problems.add(
        sentence.field,
        fmt::format("found words without a point ('{}'), allowed: words listed in '{}{}'",
                    fmt::join(missing, "', '"), prefix, vectors.empty() ? "points" : "vectors"));
  }
  check_rate(prefix, words.size(), fmt::format("'{}'", sentence.text), problems);
}

void EncoderConfig::check(const std::string& prefix, std::span<const Sentence> sentences,
                          Problems& problems) const {
  if (points.empty() && vectors.empty()) {
    problems.add(
        prefix + "points",
        "found no points, allowed: the point of every word here, or a file of them in 'vectors'");
    return;
  }
  if (!points.empty() && !vectors.empty()) {
    problems.add(prefix + "vectors",
                 "found a file of points beside 'points', allowed: one of the two");
    return;
  }
  try {
    check_points(prefix, problems);
    const arithmetic::NamedVectors table = normalized_points();
    for (const Sentence& sentence : sentences) check_sentence(prefix, sentence, table, problems);
  } catch (const Error& error) {
    problems.add(prefix + (vectors.empty() ? "points" : "vectors"), error.what());
  }
}

EncodedSentence EncoderConfig::encode(const std::string& text) const {
  EncodedSentence sentence;
  sentence.words = arithmetic::words_of(text, letter_case());
  sentence.rate = rates(sentence.words.size());
  const arithmetic::NamedVectors table = normalized_points();
  std::vector<std::vector<double>> rows;
  for (const std::string& word : sentence.words) {
    const std::vector<double>* point = arithmetic::find_vector(table, word);
    if (point == nullptr) throw Error(fmt::format("no point for '{}'; every word needs one", word));
    rows.push_back(*point);
  }
  sentence.embedding = arithmetic::matrix(rows, dims());
  sentence.summary = arithmetic::summaries(sentence.embedding, sentence.rate, start_at());
  sentence.share = arithmetic::shares(sentence.rate, start_at());
  return sentence;
}

std::vector<std::string> with_start(const std::vector<std::string>& words) {
  std::vector<std::string> labels = {"start"};
  labels.insert(labels.end(), words.begin(), words.end());
  return labels;
}

}  // namespace refran::plugins
