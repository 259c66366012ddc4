// How the simplified encoder of the page's section 1 is configured, and the encoding of a sentence
// with it. The plugins that start from an encoder share this, so that the same words have the same
// summary everywhere.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <arithmetic/encoder.h>
#include <arithmetic/vectors.h>
#include <arithmetic/words.h>

#include <refran/config.h>
#include <refran/error.h>

namespace refran::plugins {

// How far each word moves the summary, and from where. Shares need no more than this.
struct EncoderRule {
  OneOrList<double> rate = 0.5;
  std::string start = "origin";

  void describe(Fields& field);
  // Says where a list of rates does not fit a sentence of `words` words, called `sentence` in the
  // text. `prefix` is what the fields stand below, as "encoder."; "" at the top.
  void check_rate(const std::string& prefix, std::size_t words, const std::string& sentence,
                  Problems& problems) const;

  std::vector<double> rates(std::size_t words) const;
  arithmetic::Start start_at() const;
};

// A sentence after the encoder has read it.
struct EncodedSentence {
  std::vector<std::string> words;  // [word]
  std::vector<double> rate;        // [word]
  Array<double, 2> embedding;      // [word, dim]
  Array<double, 2> summary;        // [step, dim]
  Array<double, 2> share;          // [step, part]
};

// A text of a config, with the field it stands in.
struct Sentence {
  std::string field;
  std::string text;
};

struct EncoderConfig : EncoderRule {
  std::string letters = "keep";
  Map<std::vector<double>> points;
  std::filesystem::path vectors;

  void describe(Fields& field);
  // Says all that keeps `sentences` from being encoded.
  void check(const std::string& prefix, std::span<const Sentence> sentences,
             Problems& problems) const;

  // The number of dimensions of the points, 0 where there are none. Throws Error where the vectors
  // file cannot be read.
  std::size_t dims() const;
  EncodedSentence encode(const std::string& text) const;

 private:
  arithmetic::Case letter_case() const;
  arithmetic::NamedVectors listed_points() const;
  arithmetic::NamedVectors normalized_points() const;
  void check_points(const std::string& prefix, Problems& problems) const;
  void check_sentence(const std::string& prefix, const Sentence& sentence,
                      const arithmetic::NamedVectors& table, Problems& problems) const;
};

// "start" and the words: the labels of what is there before the first word and after each.
std::vector<std::string> with_start(const std::vector<std::string>& words);

}  // namespace refran::plugins
