// A result for people (`refran show`) and for other programs (`refran export`).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "result_file.h"

namespace refran::runner {

// What the result is: its question and status, the axes, every dataset with its dimensions, the
// provenance, the config.
std::string show_result(const ResultFile& result);

// Writes tidy CSV files into a new or empty folder and returns them: one per output, a row per
// cell, with a column for each axis, item and dimension (and `<d>_label` where its positions have
// labels); what of failed runs is missing is left out. `run_status.csv` has a row per run. Throws
// ConfigError where the folder holds something, and std::runtime_error where a file cannot be
// written.
std::vector<std::filesystem::path> export_csv(const ResultFile& result,
                                              const std::filesystem::path& folder);

}  // namespace refran::runner
