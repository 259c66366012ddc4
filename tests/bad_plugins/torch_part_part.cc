// The second library: all of the plugin that sees torch.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <refran/plugin.h>
#include "torch_part.h"

namespace {

double sum(std::span<const double> numbers, int threads) {
  at::set_num_threads(threads);
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(numbers.size())}, at::kDouble);
  std::copy(numbers.begin(), numbers.end(), tensor.data_ptr<double>());
  return tensor.sum().item<double>();
}

const torch_part::Interface kInterface{sum};

}  // namespace

REFRAN_PART(kInterface)
