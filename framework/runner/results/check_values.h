// The part of `refran check` that reads values: digests of runs, datasets and file, rows that sum
// to 1, cells of failed runs.
#pragma once

#include <string>
#include <vector>

#include "result_file.h"

namespace refran::runner {

// What `check` found, a sentence each.
using Findings = std::vector<std::string>;

// Adds what is wrong with the values of every output, and with the file's digest.
void check_values(const ResultFile& result, Findings& findings);

}  // namespace refran::runner
