// Sinusoidal position tables. Sines and cosines are taken in float64 and rounded to float32 once,
// so that the last bit of a machine's mathematical library does not show.
#include <cmath>
#include <cstddef>
#include <vector>

#include <refran/math.h>
#include "../weights.h"

namespace refran::marian {
namespace {

// Writes a row: sines of `angle(i)` for i = 0 … ⌈d/2⌉ − 1, then cosines, one less where d is odd.
template <class Angle>
void write_row(float* row, std::size_t model_dim, const Angle& angle) {
  const std::size_t sines = (model_dim + 1) / 2;
  for (std::size_t i = 0; i < sines; ++i) row[i] = static_cast<float>(std::sin(angle(i)));
  for (std::size_t i = 0; i < model_dim - sines; ++i)
    row[sines + i] = static_cast<float>(std::cos(angle(i)));
}

// Periods over 2π: 10000^(2i/d). In extended precision, since the error of an angle grows with the
// position and would change some table entries from one library to another.
std::vector<double> hugging_face_periods(std::size_t model_dim) {
  std::vector<double> periods((model_dim + 1) / 2);
  for (std::size_t i = 0; i < periods.size(); ++i) {
    const double exponent = static_cast<double>(2 * i) / static_cast<double>(model_dim);
    periods[i] = static_cast<double>(std::pow(10000.0L, static_cast<long double>(exponent)));
  }
  return periods;
}

// Frequencies 10000^(-i/(d/2-1)) with every step rounded to float32, as Marian does them.
std::vector<float> native_frequencies(std::size_t model_dim) {
  const float scales = static_cast<float>(model_dim) / 2.0F;
  const float increment = static_cast<float>(math::log(10000)) / (scales - 1.0F);
  std::vector<float> frequencies((model_dim + 1) / 2);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const float exponent = static_cast<float>(i) * -increment;
    frequencies[i] = static_cast<float>(math::exp(static_cast<double>(exponent)));
  }
  return frequencies;
}

}  // namespace

std::vector<float> position_table(PositionTable kind, std::size_t positions,
                                  std::size_t model_dim) {
  std::vector<float> table(positions * model_dim);
  if (kind == PositionTable::hugging_face) {
    const std::vector<double> periods = hugging_face_periods(model_dim);
    for (std::size_t p = 0; p < positions; ++p) {
      write_row(table.data() + p * model_dim, model_dim,
                [&](std::size_t i) { return static_cast<double>(p) / periods[i]; });
    }
    return table;
  }
  const std::vector<float> frequencies = native_frequencies(model_dim);
  for (std::size_t p = 0; p < positions; ++p) {
    write_row(table.data() + p * model_dim, model_dim, [&](std::size_t i) {
      return static_cast<double>(static_cast<float>(p) * frequencies[i]);
    });
  }
  return table;
}

}  // namespace refran::marian
