// What a run tells while it goes on, and how it learns that it should stop.
#pragma once

#include <cstddef>
#include <string_view>

namespace refran::runner {

class Monitor {
 public:
  virtual ~Monitor() = default;

  virtual void log(std::size_t run, std::string_view text, bool warning) = 0;
  // `done` of `total` within the run or group of runs at work.
  virtual void progress(double done, double total) = 0;
  virtual bool stop_requested() = 0;
  // The run has been committed, as failed where `failure` is not empty.
  virtual void committed(std::size_t run, std::string_view failure) = 0;
};

}  // namespace refran::runner
