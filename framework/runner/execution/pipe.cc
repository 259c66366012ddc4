#include "pipe.h"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "stop.h"

namespace refran::runner {

bool write_line(int descriptor, std::string_view line) {
  std::string text(line);
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t done = write(descriptor, rest.data(), rest.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

bool LineReader::fill() {
  std::array<char, 1 << 14> bytes;
  const ssize_t got = ::read(descriptor_, bytes.data(), bytes.size());
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> LineReader::next() {
  const std::size_t end = buffer_.find('\n', start_);
  if (end == std::string::npos) {
    buffer_.erase(0, start_);
    start_ = 0;
    return std::nullopt;
  }
  std::string line = buffer_.substr(start_, end - start_);
  start_ = end + 1;
  return line;
}

std::optional<std::string> LineReader::read() {
  for (;;) {
    if (std::optional<std::string> line = next()) return line;
    if (stop_requested() || !fill()) return std::nullopt;
  }
}

}  // namespace refran::runner
