// How far a sweep is: one bar that is redrawn on a terminal, a plain line now and then elsewhere.
// On standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace refran::runner {

class Progress {
 public:
  // `resumed` of the `total` runs were done before.
  Progress(std::size_t total, std::size_t resumed, bool is_terminal);
  ~Progress();

  void run_ended(bool failed);
  // What the runs now at work have done, in runs: 1.5 = one and a half runs' worth.
  void set_partial(double runs) { partial_ = runs; }
  // Shows the bar or line, if it is time.
  void show();
  // Prints a line above the bar.
  void print(std::string_view line);
  // The last state, then a line feed.
  void finish();

 private:
  std::string text() const;
  void draw();
  void clear();

  using Clock = std::chrono::steady_clock;
  std::size_t total_;
  std::size_t resumed_;
  bool is_terminal_;
  std::size_t done_;
  std::size_t failed_ = 0;
  double partial_ = 0;
  bool is_drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace refran::runner
