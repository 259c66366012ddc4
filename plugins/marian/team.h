// Threads that share the work of one pass. They wait between the parts of it, which are as short as
// 20 µs, so they spin for a moment before they sleep.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace refran::marian {

// Memory that a thread will read before long.
struct Ahead {
  const float* begin = nullptr;
  std::size_t count = 0;
};

class Team {
 public:
  explicit Team(std::size_t threads = 1);  // the caller is one of them
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::size_t size() const { return workers_.size() + 1; }

  // Calls work(index, member) for every index below `count` and returns when all are done. `member`
  // is the thread's number, below size(). Each has a stretch of indices that follow each other, and
  // helps with those of the others when it is through; while it waits for them, and for the next
  // call, it fetches `ahead` [member] into its cache. The first exception of `work` is thrown
  // again.
  void share(std::size_t count,
             const std::function<void(std::size_t index, std::size_t member)>& work,
             std::span<const Ahead> ahead = {});
  // Where the stretch of a member begins.
  std::size_t first_of(std::size_t count, std::size_t member) const {
    return count * member / size();
  }

 private:
  // What is left of a member's indices: a cache line each, since all threads write them.
  struct alignas(64) Stretch {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  void serve(std::size_t member);
  void take_part(std::size_t member);

  std::vector<std::thread> workers_;
  const std::function<void(std::size_t, std::size_t)>* work_ = nullptr;
  std::vector<Stretch> stretches_;  // [member]
  std::vector<Ahead> ahead_;        // [member]
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::atomic<unsigned> round_{0};
  std::atomic<std::size_t> busy_{0};
  std::atomic<bool> ends_{false};
};

}  // namespace refran::marian
