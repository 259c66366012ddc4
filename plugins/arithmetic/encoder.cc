#include "encoder.h"

#include <algorithm>

namespace refran::arithmetic {

Array<double, 2> summaries(const Array<double, 2>& embedding, std::span<const double> rate,
                           Start start) {
  const std::size_t words = embedding.extent(0);
  const std::size_t dims = embedding.extent(1);
  Array<double, 2> summary({words + 1, dims});
  if (start == Start::first_word) std::ranges::copy(embedding.row(0), summary.row(0).begin());
  for (std::size_t step = 1; step <= words; ++step) {
    for (std::size_t dim = 0; dim < dims; ++dim) {
      const double before = summary(step - 1, dim);
      summary(step, dim) = before + rate[step - 1] * (embedding(step - 1, dim) - before);
    }
  }
  return summary;
}

Array<double, 2> shares(std::span<const double> rate, Start start) {
  const std::size_t words = rate.size();
  Array<double, 2> share({words + 1, words + 1});
  share(0, start == Start::origin ? 0 : 1) = 1;
  for (std::size_t step = 1; step <= words; ++step) {
    for (std::size_t part = 0; part <= words; ++part)
      share(step, part) = (1 - rate[step - 1]) * share(step - 1, part);
    share(step, step) += rate[step - 1];
  }
  return share;
}

Array<double, 2> shares_in_closed_form(std::span<const double> rate, Start start) {
  const std::size_t words = rate.size();
  Array<double, 2> share({words + 1, words + 1});
  for (std::size_t step = 0; step <= words; ++step) {
    double kept = 1;  // the product of (1 - rate) over the words after the part
    for (std::size_t part = step; part > 0; --part) {
      share(step, part) = rate[part - 1] * kept;
      kept *= 1 - rate[part - 1];
    }
    share(step, start == Start::origin ? 0 : 1) += kept;
  }
  return share;
}

}  // namespace refran::arithmetic
