// How fast the seed-parallel kernel is beside what the processor could do at most: operations per
// step are counted by running it on lanes that count, the peak is measured in the same run.
//
//   cmake --build build/dev --target referent_kernel_bench &&
//   build/dev/bin/referent_kernel_bench
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

#include <referent_model/kernel/adam.h>
#include <referent_model/kernel/step.h>

// In the namespace where the functions on lanes are looked for.
namespace refran::lanes {

struct Counts {
  long fused = 0;    // multiply-adds
  long single = 0;   // additions and multiplications
  long divided = 0;  // divisions and square roots
};
inline Counts counts;

// One float that counts what is done to it.
struct Counting {
  using Element = float;
  static constexpr std::size_t kWidth = 1;
  float v;

  static Counting of(float value) { return {value}; }
  static Counting load(const float* values) { return {*values}; }
  void store(float* values) const { *values = v; }
  friend Counting operator+(Counting a, Counting b) { return ++counts.single, Counting{a.v + b.v}; }
  friend Counting operator-(Counting a, Counting b) { return ++counts.single, Counting{a.v - b.v}; }
  friend Counting operator*(Counting a, Counting b) { return ++counts.single, Counting{a.v * b.v}; }
  friend Counting operator/(Counting a, Counting b) {
    return ++counts.divided, Counting{a.v / b.v};
  }
  friend Counting sqrt(Counting a) { return ++counts.divided, Counting{std::sqrt(a.v)}; }
  friend Counting fma(Counting a, Counting b, Counting c) {
    return ++counts.fused, Counting{std::fma(a.v, b.v, c.v)};
  }
  friend Counting max(Counting a, Counting b) { return a.v > b.v ? a : b; }
  friend Counting if_less(Counting a, Counting b, Counting yes, Counting no) {
    return a.v < b.v ? yes : no;
  }
  friend Counting times_power_of_two(Counting a, Counting shifted) {
    return {std::ldexp(a.v, static_cast<int>(shifted.v - kIntegerShift<float>))};
  }
};

}  // namespace refran::lanes

namespace refran::referent {
namespace {

using lanes::Counting;
using lanes::counts;

// Of this process, in seconds: others on the machine take nothing from it but their share of
// caches.
double cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Task page_task() {
  TaskSpec spec;
  spec.sentence_template = "the {animal} didn't cross the {place} because it was {adjective}";
  spec.nouns = {{{"animal", {"animal", "dog", "cat", "horse"}},
                 {"place", {"street", "road", "field", "bridge"}}}};
  spec.adjectives = {{{"tired", "hungry", "scared"}, {"wide", "flooded", "icy"}}};
  return make_task(spec);
}

// The training of the page's model, one step at a time.
template <class Lanes>
class Bench {
 public:
  Bench(const Task& task, const ModelShape& shape)
      : kernel_task_(task), step_(shape, kernel_task_, AttentionKind::learned) {
    for (std::size_t lane = 0; lane < Lanes::kWidth; ++lane) {
      const std::vector<double> start = random_start(shape, lane + 1, 0.5);
      parameters_.resize(start.size());
      for (std::size_t i = 0; i < start.size(); ++i) {
        float elements[Lanes::kWidth];
        parameters_[i].store(elements);
        elements[lane] = static_cast<float>(start[i]);
        parameters_[i] = Lanes::load(elements);
      }
    }
    gradient_ = mean_ = square_ = std::vector<Lanes>(parameters_.size(), Lanes::of(0));
  }

  void run() {
    step_.run(parameters_.data(), gradient_.data());
    clock_.tick(options_);
    kernel::adam_step(options_, clock_, parameters_.size(), gradient_.data(), mean_.data(),
                      square_.data(), parameters_.data());
  }

 private:
  kernel::KernelTask kernel_task_;
  kernel::Step<Lanes, kernel::PageDims> step_;
  AdamOptions options_;
  kernel::AdamClock clock_;
  std::vector<Lanes> parameters_, gradient_, mean_, square_;
};

// Vector multiply-adds per second, from 12 chains that do not wait for each other.
double peak_rate() {
  double best = 0;
  for (int round = 0; round < 8; ++round) {
    lanes::Avx2Floats sums[12];
    for (lanes::Avx2Floats& sum : sums) sum = lanes::Avx2Floats::of(1);
    const lanes::Avx2Floats factor = lanes::Avx2Floats::of(0.999F);
    const lanes::Avx2Floats step = lanes::Avx2Floats::of(1e-3F);
    constexpr long kTurns = 3000000;
    const double begin = cpu_time();
    for (long turn = 0; turn < kTurns; ++turn) {
      for (lanes::Avx2Floats& sum : sums) sum = fma(sum, factor, step);
    }
    const double seconds = cpu_time() - begin;
    float total = 0;
    for (const lanes::Avx2Floats& sum : sums) {
      float elements[8];
      sum.store(elements);
      total += elements[0];
    }
    if (total > 0) best = std::max(best, 12.0 * kTurns / seconds);  // `total` is used, so kept
  }
  return best;
}

void report() {
  const Task task = page_task();
  ModelShape shape;
  shape.words = task.vocabulary.size();
  shape.positions = task.positions;
  Bench<Counting> counted(task, shape);
  counts = {};
  counted.run();
  const auto slots = static_cast<double>(counts.fused + counts.single);
  std::printf(
      "per seed and step: %ld multiply-adds, %ld additions and multiplications, %ld "
      "divisions and roots: %.2f MFLOP\n",
      counts.fused, counts.single, counts.divided,
      1e-6 * static_cast<double>(2 * counts.fused + counts.single + counts.divided));

  Bench<lanes::Avx2Floats> bench(task, shape);
  constexpr int kSteps = 50;
  double fastest = 1;
  for (int round = 0; round < 20; ++round) {
    const double begin = cpu_time();
    for (int step = 0; step < kSteps; ++step) bench.run();
    fastest = std::min(fastest, (cpu_time() - begin) / kSteps);
  }
  const double peak = peak_rate();
  std::printf("%.0f µs per step of 8 seeds on one core; %.1f seeds per second of 500 steps\n",
              1e6 * fastest, 8 / (500 * fastest));
  std::printf("peak %.2f G vector multiply-adds per second; the kernel issues %.0f %% of that\n",
              1e-9 * peak, 100 * slots / fastest / peak);
}

}  // namespace
}  // namespace refran::referent

int main() { refran::referent::report(); }
