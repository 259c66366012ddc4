#include "progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace refran::runner {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{10};
constexpr int kBarWidth = 30;

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(std::size_t total, std::size_t resumed, bool is_terminal)
    : total_(total), resumed_(resumed), is_terminal_(is_terminal), done_(resumed) {}

Progress::~Progress() { clear(); }

void Progress::run_ended(bool failed) {
  ++done_;
  if (failed) ++failed_;
}

std::string Progress::text() const {
  const double done = std::min(static_cast<double>(done_) + partial_, static_cast<double>(total_));
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = (done - static_cast<double>(resumed_)) / std::max(seconds, 1e-3);
  std::string line = fmt::format("{}/{} runs", done_, total_);
  if (rate > 0) line += fmt::format(", {:.3g}/s", rate);
  if (done_ < total_ && rate > 0)
    line += fmt::format(", {} left", duration((static_cast<double>(total_) - done) / rate));
  if (done_ == total_) line += fmt::format(", {}", duration(seconds));
  if (failed_ > 0) line += fmt::format(", {} failed", failed_);
  if (!is_terminal_) return line;
  const auto filled =
      static_cast<int>(kBarWidth * done / static_cast<double>(std::max<std::size_t>(total_, 1)));
  return fmt::format("[{:=<{}}{: <{}}] {}", "", filled, "", kBarWidth - filled, line);
}

void Progress::show() {
  const auto now = Clock::now();
  if (now - last_ < (is_terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPlainLine))) return;
  last_ = now;
  draw();
}

void Progress::draw() {
  if (is_terminal_) {
    fmt::print(stderr, "\r\033[K{}", text());
    std::fflush(stderr);
    is_drawn_ = true;
  } else {
    fmt::print(stderr, "{}\n", text());
  }
}

void Progress::clear() {
  if (!is_drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  is_drawn_ = false;
}

void Progress::print(std::string_view line) {
  clear();
  fmt::print(stderr, "{}\n", line);
  if (is_terminal_) draw();
}

void Progress::finish() {
  partial_ = 0;
  draw();
  if (is_drawn_) fmt::print(stderr, "\n");
  is_drawn_ = false;
}

}  // namespace refran::runner
