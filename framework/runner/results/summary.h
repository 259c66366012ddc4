// Statistics over the seeds of a sweep (`refran summary`).
//
// Every scalar output is summarised for each combination of the other axes, so is every scalar of
// an item and every cell of an output with one dimension of at most 64 labelled positions. The
// interval is the 95 % percentile bootstrap interval of the mean (Efron 1979): 10,000 resamples,
// quantiles interpolated linearly. The resamples come from refran::Stream with seed 1979, named by
// the dataset's path and the row's coordinates, so the same file always gives the same numbers.
// Failed runs are left out and counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result_file.h"

namespace refran::runner {

struct Statistics {
  std::size_t count = 0;  // of values; the rest is NaN where there are none
  double mean = 0;
  double median = 0;
  double low = 0;  // of the interval; NaN where there are less than two values
  double high = 0;
};

// `stream` names the random stream of the resamples.
Statistics statistics_of(std::vector<double> values, std::string_view stream);

// The quantile of sorted values, between the two nearest ones by linear interpolation (NumPy's
// default).
double quantile(const std::vector<double>& sorted, double probability);

struct SummaryRow {
  std::vector<std::string> points;  // on the other axes
  std::string output;               // path without axis groups: "loss", "sentence/3/loss"
  std::string label;                // of the item, or of the cell; "" for a plain scalar
  std::string unit;
  Statistics statistics;
  std::size_t failed = 0;  // runs left out
};

struct Summary {
  std::vector<std::string> axes;  // the other ones
  std::vector<SummaryRow> rows;
};

// Throws ConfigError, one sentence, where there is no axis of seeds or nothing to summarise.
Summary summarise(const ResultFile& result);

std::string summary_text(const ResultFile& result);
std::string summary_csv(const ResultFile& result);

}  // namespace refran::runner
