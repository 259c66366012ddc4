// The config of greedy-decoder: the inputs, the encoder, the vocabulary and how it is written from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <arithmetic/decoder.h>
#include <encoder_config/encoder_config.h>

#include <refran/config.h>
#include <refran/error.h>

namespace refran::greedy_decoder {

// A word the decoder can write.
struct Candidate {
  std::string word;
  std::vector<double> embedding;
  std::vector<double> step;

  void describe(Fields& field);
};

struct Config {
  std::vector<std::string> inputs;
  plugins::EncoderConfig encoder;
  std::vector<Candidate> vocabulary;
  std::string strategy = "greedy";
  std::int32_t beam_size = 3;
  double temperature = 1;
  std::int32_t max_steps = 8;

  void describe(Fields& field);
  void check(Problems& problems) const;

  arithmetic::Vocabulary candidates() const;
  arithmetic::Limits limits() const;

 private:
  void check_words(Problems& problems) const;
  void check_vectors(std::size_t dims, Problems& problems) const;
};

}  // namespace refran::greedy_decoder
