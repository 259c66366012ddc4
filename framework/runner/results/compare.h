// Where two results differ: in their configs, in what they remember of how they came about, and in
// the numbers they hold. `verify`, `diff` and `check-plugin` all ask here.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "difference.h"
#include "result_file.h"

namespace refran::runner {

// Of the resolved configs, field by field. The folder that paths are relative to does not count.
std::vector<Difference> config_differences(const ResultFile& was, const ResultFile& is);

// What may change numbers: versions, build-ids, compilers, flags, libraries, the CPU, threads, the
// contents of input files. Clocks, names of machines and paths do not count.
std::vector<Difference> provenance_differences(const ResultFile& was, const ResultFile& is);

// Of the runs: which are in one result alone, how they ended; and of what both hold of each, in
// order of the datasets' paths: which dataset one of them does not have, types and extents, values
// (as ValueComparison has them) and labels. Runs are the same where they stand at the same values
// of the same axes; a run that failed in one of the two is not looked into. Of a dataset that
// differs the first value that does is named, and only values whose digests differ are read.
std::vector<Difference> dataset_differences(const ResultFile& was, const ResultFile& is,
                                            double tolerance);
// The same where run i of `is` is run `runs[i]` of `was`, whatever the axes; of the other runs of
// `was` nothing is said.
std::vector<Difference> dataset_differences(const ResultFile& was, const ResultFile& is,
                                            std::span<const std::size_t> runs, double tolerance);

}  // namespace refran::runner
