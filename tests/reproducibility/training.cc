// Trains the tiny model on lanes and prints what its weights hash to: with AVX2 lanes where it is
// compiled for them, else with plain ones. test_compilers.py compiles it in many ways.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <referent_model/kernel/train.h>

namespace refran::referent {

LaneTraining::~LaneTraining() = default;

namespace {

#ifdef __AVX2__
using Floats = lanes::Avx2Floats;
using Doubles = lanes::Avx2Doubles;
#else
using Floats = lanes::PlainLanes<float, 8>;
using Doubles = lanes::PlainLanes<double, 4>;
#endif

Task small_task() {
  return make_task(
      {.sentence_template = "the {animal} didn't cross the {place} because it was {adjective}",
       .nouns = {{{"animal", {"dog", "cat"}}, {"place", {"street", "road"}}}},
       .adjectives = {{{"tired", "hungry"}, {"wide"}}},
       .held_out = {{"cat", "road", "tired"}}});
}

// FNV-1a, 64 bits.
class Hash {
 public:
  void add(double number) {
    unsigned char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    for (const unsigned char byte : bytes) state_ = (state_ ^ byte) * 0x100000001b3;
  }
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

// Starts of the first lane's queries and keys are far apart where `is_wide`, so that floats are
// measured again in double.
std::vector<double> start_of(const ModelShape& shape, std::size_t lane, bool is_wide) {
  std::vector<double> start = random_start(shape, lane, 0.5);
  const ParameterLayout layout(shape);
  for (std::size_t i = layout.query; is_wide && lane == 0 && i < layout.value; ++i) start[i] *= 20;
  return start;
}

void train(const char* name, LaneTraining* made, const ModelShape& shape, bool is_wide) {
  constexpr int kSteps = 6;
  const std::unique_ptr<LaneTraining> training(made);
  for (std::size_t lane = 0; lane < training->width(); ++lane)
    training->start(lane, start_of(shape, lane, is_wide).data());
  Hash hash;
  for (int step = 0; step < kSteps; ++step) {
    training->measure();
    for (std::size_t lane = 0; lane < training->width(); ++lane) hash.add(training->loss(lane));
    training->update();
  }
  std::vector<double> weights(ParameterLayout(shape).size);
  for (std::size_t lane = 0; lane < training->width(); ++lane) {
    training->parameters(lane, weights.data());
    for (const double weight : weights) hash.add(weight);
  }
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(hash.state()));
}

void train_all() {
  const Task task = small_task();
  const kernel::KernelTask kernel_task(task);
  TrainingSpec spec;
  spec.shape.words = task.vocabulary.size();
  spec.shape.positions = task.positions;
  using kernel::AnyDims;
  using InFloat = kernel::Training<Floats, Doubles, AnyDims>;
  using InDouble = kernel::Training<Doubles, Doubles, AnyDims>;
  train("float", new InFloat(kernel_task, spec), spec.shape, false);
  train("float, wide", new InFloat(kernel_task, spec), spec.shape, true);
  train("double", new InDouble(kernel_task, spec), spec.shape, false);
}

}  // namespace
}  // namespace refran::referent

int main() { refran::referent::train_all(); }
