#include "team.h"

#include <algorithm>
#include <utility>

namespace refran::marian {
namespace {

// Some 50 µs: long enough for the next part of a pass to come, too short to be felt by others.
constexpr int kSpins = 4000;

// True after a moment's spinning, in which the processor is left to its other thread.
bool has_spun_enough(int& spins) {
  __builtin_ia32_pause();
  return ++spins > kSpins;
}

}  // namespace

Team::Team(std::size_t threads) : stretches_(std::max<std::size_t>(threads, 1)) {
  for (std::size_t member = 1; member < threads; ++member)
    workers_.emplace_back([this, member] { serve(member); });
}

Team::~Team() {
  ends_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Team::share(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) {
  work_ = &work;
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
    for (int spins = 0; busy_.load(std::memory_order_acquire) != 0;) {
      if (has_spun_enough(spins)) std::this_thread::yield();
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
  for (unsigned seen = 0;;) {
    for (int spins = 0; round_.load(std::memory_order_acquire) == seen;) {
      if (has_spun_enough(spins)) round_.wait(seen, std::memory_order_acquire);
    }
    ++seen;
    if (ends_) return;
    take_part(member);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace refran::marian
