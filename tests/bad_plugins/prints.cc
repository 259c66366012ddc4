// Prints to standard output, which is for result paths alone.
#include <cstdio>
#include <iostream>

#include <refran/plugin.h>

namespace {

struct Config {
  void describe(refran::Fields&) {}
};

constexpr refran::Output<double, 0> kValue{.name = "value", .unit = "1", .doc = "A number"};

void run(const Config&, refran::Run& run) {
  std::printf("by printf\n");
  std::cout << "by a stream\n";
  run.put(kValue, 1.0);
}

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "What if it prints?", .run = run, .outputs = {kValue}})
