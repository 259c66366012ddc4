// What commands share in how they speak and end.
#pragma once

#include <filesystem>
#include <string>

namespace refran::cli {

inline constexpr int kNotPassed = 4;  // runs failed, a check did not pass, results differ
inline constexpr int kStopped = 130;

// Standard output is for what the command has to say; what plugins and libraries print goes to
// standard error from here on. Returns the descriptor that is left for print_line.
int redirect_standard_output();
void print_line(int descriptor, const std::string& text);

// "run.h5: loss: holds other values …": a problem that `check_result` found, with its file.
std::string with_file(const std::filesystem::path& file, const std::string& problem);

}  // namespace refran::cli
