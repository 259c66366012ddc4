// Lines over file descriptors, between a sweep and its workers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace refran::runner {

// Writes the text and a line feed. False where the other end is gone.
bool write_line(int descriptor, std::string_view line);

class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  // Waits for a line; none at the end of input, or when a signal asks to stop.
  std::optional<std::string> read();
  // Takes in what has arrived, without waiting beyond one read; false at the end of input.
  bool fill();
  // A line that has arrived whole.
  std::optional<std::string> next();

 private:
  int descriptor_;
  std::string buffer_;
  std::size_t start_ = 0;  // of what next() has not returned yet
};

}  // namespace refran::runner
