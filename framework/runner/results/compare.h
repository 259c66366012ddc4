// Whether two results hold the same numbers, and if not, where they differ first.
#pragma once

#include <string>
#include <vector>

#include "result_file.h"

namespace refran::runner {

// A sentence for every dataset that differs, naming the runs; empty = the same. With a `tolerance`
// above 0, numbers may differ by as much (absolute); else the digests have to be equal.
std::vector<std::string> differences(const ResultFile& expected, const ResultFile& found,
                                     double tolerance);

}  // namespace refran::runner
