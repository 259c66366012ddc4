// What heads put out on average: what takes the place of their output in gates of mode mean.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include <marian/gates.h>
#include <marian/generation.h>

#include <refran/array.h>

namespace refran::opus_mt_probe {

class MeanOutputs {
 public:
  void of(const marian::HeadId& head) { sums_[head] = {}; }
  // All queries of a translation count alike.
  void add(const marian::Translation& translation);
  std::vector<float> mean(const marian::HeadId& head) const;  // [head_dim]

 private:
  struct Sum {
    std::vector<double> of_rows;  // [head_dim]
    std::size_t rows = 0;
  };
  std::map<marian::HeadId, Sum> sums_;
};

}  // namespace refran::opus_mt_probe
