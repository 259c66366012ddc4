#include "team.h"

#include <algorithm>
#include <utility>

namespace refran::marian {
namespace {

// Some 50 µs: long enough for the next part of a pass to come, too short to be felt by others.
constexpr int kSpins = 4000;

// A thread that waits: it fetches what it can, then spins for a moment, in which the processor is
// left to its other thread.
class Wait {
 public:
  explicit Wait(Ahead ahead) : ahead_(ahead) {}

  // True after a moment without anything to fetch.
  bool has_been_enough() {
    if (ahead_.count == 0) {
      __builtin_ia32_pause();
      return ++spins_ > kSpins;
    }
    // As little as lets the thread see at once that it need not wait any more.
    constexpr std::size_t kLine = 16;
    for (int line = 0; line < 8 && ahead_.count > 0; ++line) {
      __builtin_prefetch(ahead_.begin, 0, 2);
      ahead_.begin += kLine;
      ahead_.count -= std::min(ahead_.count, kLine);
    }
    return false;
  }

 private:
  Ahead ahead_;
  int spins_ = 0;
};

}  // namespace

Team::Team(std::size_t threads)
    : stretches_(std::max<std::size_t>(threads, 1)), ahead_(stretches_.size()) {
  for (std::size_t member = 1; member < threads; ++member)
    workers_.emplace_back([this, member] { serve(member); });
}

Team::~Team() {
  ends_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Team::share(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work,
                 std::span<const Ahead> ahead) {
  work_ = &work;
  std::ranges::fill(ahead_, Ahead{});
  std::ranges::copy(ahead, ahead_.begin());
  for (std::size_t member = 0; member < size(); ++member) {
    stretches_[member].next.store(first_of(count, member), std::memory_order_relaxed);
    stretches_[member].end = first_of(count, member + 1);
  }
  if (count < 2 || workers_.empty()) {
    take_part(0);
  } else {
    busy_.store(workers_.size(), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    take_part(0);
    for (Wait wait(ahead_[0]); busy_.load(std::memory_order_acquire) != 0;) {
      if (wait.has_been_enough()) std::this_thread::yield();
    }
  }
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Team::take_part(std::size_t member) {
  try {
    for (std::size_t i = 0; i < size(); ++i) {
      Stretch& stretch = stretches_[(member + i) % size()];
      for (;;) {
        const std::size_t index = stretch.next.fetch_add(1, std::memory_order_relaxed);
        if (index >= stretch.end) break;
        (*work_)(index, member);
      }
    }
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (failure_ == nullptr) failure_ = std::current_exception();
  }
}

void Team::serve(std::size_t member) {
  Ahead ahead;
  for (unsigned seen = 0;;) {
    for (Wait wait(ahead); round_.load(std::memory_order_acquire) == seen;) {
      if (wait.has_been_enough()) round_.wait(seen, std::memory_order_acquire);
    }
    ++seen;
    if (ends_) return;
    take_part(member);
    ahead = ahead_[member];  // the next call may change it as soon as this thread is done
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace refran::marian
