#include "output.h"

#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

namespace refran::cli {

int redirect_standard_output() {
  std::fflush(stdout);
  const int original = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return original;
}

void print_line(int descriptor, const std::string& text) {
  const std::string line = text + "\n";
  if (::write(descriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw std::runtime_error("standard output cannot be written");
  }
}

std::string with_file(const std::filesystem::path& file, const std::string& problem) {
  return problem.starts_with(file.string()) ? problem
                                            : fmt::format("{}: {}", file.string(), problem);
}

}  // namespace refran::cli
