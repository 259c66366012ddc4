// Rows times a matrix that lies as checkpoints have it, [out, in]. Sixteen outs at a time are a
// panel; its weights are transposed, so that a register holds eight outs and nothing is summed
// across it.
//
// The order of a number's sum, whatever the rows beside it: each chunk of 256 ins is summed from
// its first term on; then the chunks' sums, then the bias.
#pragma once

#include "kernels.h"
#include "vectors.h"

namespace refran::marian::kernel {

constexpr std::size_t kPanelOuts = 2 * kWidth;
// A packed panel's chunk takes 16 KiB: half of the first cache.
constexpr std::size_t kChunk = 256;
constexpr std::size_t kLine = 16;  // floats of a cache line
// 6 rows by 2 registers of outs: twelve sums, which hide the latency of a multiply-add, two
// registers of weights and one of x.
constexpr std::size_t kTileRows = 6;
// The outs and rows whose sums wait in the second cache from chunk to chunk, beside the chunk of x
// that all panels need.
constexpr std::size_t kGroupOuts = 64;
constexpr std::size_t kBlockRows = 192;

// Sums of some rows and a panel's outs, in registers.
template <std::size_t Rows, class Lanes>
struct PanelSums {
  Lanes sum[Rows][2];

  PanelSums() {
    for (std::size_t r = 0; r < Rows; ++r) sum[r][0] = sum[r][1] = Lanes::of(0);
  }

  // totals[row · stride + out] += sum.
  void add_to(float* totals, std::size_t stride) const {
    for (std::size_t r = 0; r < Rows; ++r) {
      for (std::size_t half = 0; half < 2; ++half) {
        float* total = totals + r * stride + half * kWidth;
        (Lanes::load(total) + sum[r][half]).store(total);
      }
    }
  }
};

// A panel for few rows: the weights are used but once, so they are transposed in registers, a cache
// line of each of eight outs after the other. `in` is a multiple of a cache line.
template <std::size_t Rows, class Lanes>
void multiply_few(const Matmul& product, std::size_t out) {
  const std::size_t in = product.in;
  const float* const weight = product.weight + out * in;
  const float* const next = weight + kPanelOuts * in;
  float totals[Rows * kPanelOuts] = {};
  for (std::size_t begin = 0; begin < in; begin += kChunk) {
    const std::size_t end = in - begin < kChunk ? in : begin + kChunk;
    PanelSums<Rows, Lanes> sums;
    for (std::size_t i = begin; i < end; i += kLine) {
      for (std::size_t line = 0; line < kPanelOuts; ++line)
        __builtin_prefetch(next + i * kPanelOuts + line * kLine, 0, 2);
      for (std::size_t half = 0; half < 2; ++half) {
        for (std::size_t j = i; j < i + kLine; j += 4) {
          Lanes column[4];
          load_columns(weight + half * kWidth * in + j, in, column);
          for (std::size_t k = 0; k < 4; ++k) {
            for (std::size_t r = 0; r < Rows; ++r) {
              const Lanes term = Lanes::of(product.x[r * in + j + k]);
              sums.sum[r][half] = fma(term, column[k], sums.sum[r][half]);
            }
          }
        }
      }
    }
    sums.add_to(totals, kPanelOuts);
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    float* y = product.y + r * product.y_stride + out;
    for (std::size_t o = 0; o < kPanelOuts; ++o)
      y[o] = totals[r * kPanelOuts + o] + product.bias[out + o];
  }
}

// packed[in, kPanelOuts] = weight[out, in] of `outs` outs and a chunk's `count` ins; the last out
// again for those that a panel lacks.
template <class Lanes>
inline void pack_panel(const float* weight, std::size_t in, std::size_t outs, std::size_t count,
                       float* packed) {
  std::size_t i = 0;
  for (; outs >= kPanelOuts && i + kLine <= count; i += kLine) {
    for (std::size_t first = 0; first < kPanelOuts; first += kWidth) {
      for (std::size_t j = i; j < i + kLine; j += 4) {
        Lanes column[4];
        load_columns(weight + first * in + j, in, column);
        for (std::size_t k = 0; k < 4; ++k) column[k].store(packed + (j + k) * kPanelOuts + first);
      }
    }
  }
  for (; i < count; ++i) {
    for (std::size_t o = 0; o < kPanelOuts; ++o)
      packed[i * kPanelOuts + o] = weight[(o < outs ? o : outs - 1) * in + i];
  }
}

// Rows of x and a packed panel: totals[row · kGroupOuts + out] += x[row, in] · packed[in, out].
struct Tile {
  const float* x;
  std::size_t in;  // the distance of rows of x and of the weights
  const float* packed;
  std::size_t count;  // of the chunk's ins
  float* totals;
  // So many rows of the weights are fetched meanwhile, from where the next panel will be packed.
  const float* next;
  std::size_t next_rows;
};

template <std::size_t Rows, class Lanes>
void multiply_tile(const Tile& tile) {
  PanelSums<Rows, Lanes> sums;
  const float* packed = tile.packed;
  for (std::size_t begin = 0; begin < tile.count; begin += kLine) {
    for (std::size_t row = 0; row < tile.next_rows; ++row)
      __builtin_prefetch(tile.next + row * tile.in + begin, 0, 2);
    const std::size_t end = tile.count - begin < kLine ? tile.count : begin + kLine;
    for (std::size_t i = begin; i < end; ++i, packed += kPanelOuts) {
      const Lanes low = Lanes::load(packed);
      const Lanes high = Lanes::load(packed + kWidth);
      for (std::size_t r = 0; r < Rows; ++r) {
        const Lanes term = Lanes::of(tile.x[r * tile.in + i]);
        sums.sum[r][0] = fma(term, low, sums.sum[r][0]);
        sums.sum[r][1] = fma(term, high, sums.sum[r][1]);
      }
    }
  }
  sums.add_to(tile.totals, kGroupOuts);
}

// All rows by one panel, in tiles of about as many rows each. The weights of the next panel are
// fetched bit by bit: all at once would wait for each other.
template <class Lanes>
inline void multiply_panel(Tile tile, std::size_t rows) {
  using Multiply = void (*)(const Tile&);
  constexpr Multiply kMultiply[kTileRows] = {multiply_tile<1, Lanes>, multiply_tile<2, Lanes>,
                                             multiply_tile<3, Lanes>, multiply_tile<4, Lanes>,
                                             multiply_tile<5, Lanes>, multiply_tile<6, Lanes>};
  std::size_t next_left = kPanelOuts;
  for (std::size_t tiles = (rows + kTileRows - 1) / kTileRows; tiles > 0; --tiles) {
    const std::size_t some = (rows + tiles - 1) / tiles;
    tile.next_rows = (next_left + tiles - 1) / tiles;
    kMultiply[some - 1](tile);
    tile.x += some * tile.in;
    tile.totals += some * kGroupOuts;
    tile.next += tile.next_rows * tile.in;
    next_left -= tile.next_rows;
    rows -= some;
  }
}

// A block of rows and a group of outs.
template <class Lanes>
inline void multiply_group(const Matmul& product, std::size_t first_row, std::size_t rows,
                           std::size_t out, std::size_t outs) {
  alignas(64) float packed[kChunk * kPanelOuts];
  alignas(64) float totals[kBlockRows * kGroupOuts];  // [row, kGroupOuts]
  const std::size_t in = product.in;
  const float* const x = product.x + first_row * in;
  const float* const weight = product.weight + out * in;
  for (std::size_t i = 0; i < rows * kGroupOuts; ++i) totals[i] = 0;
  for (std::size_t begin = 0; begin < in; begin += kChunk) {
    const std::size_t count = in - begin < kChunk ? in - begin : kChunk;
    const float* const next_chunk = weight + (begin + count < in ? begin + count : outs * in);
    for (std::size_t o = 0; o < outs; o += kPanelOuts) {
      const float* const panel = weight + o * in + begin;
      const bool is_last = outs - o <= kPanelOuts;
      pack_panel<Lanes>(panel, in, outs - o, count, packed);
      multiply_panel<Lanes>({.x = x + begin,
                             .in = in,
                             .packed = packed,
                             .count = count,
                             .totals = totals + o,
                             .next = is_last ? next_chunk : panel + kPanelOuts * in,
                             .next_rows = 0},
                            rows);
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    float* y = product.y + (first_row + r) * product.y_stride + out;
    for (std::size_t o = 0; o < outs; ++o)
      y[o] = totals[r * kGroupOuts + o] + product.bias[out + o];
  }
}

template <class Lanes>
void matmul(const Matmul& product, std::size_t begin, std::size_t end) {
  using Multiply = void (*)(const Matmul&, std::size_t);
  constexpr Multiply kMultiply[kFewRows] = {multiply_few<1, Lanes>, multiply_few<2, Lanes>,
                                            multiply_few<3, Lanes>, multiply_few<4, Lanes>};
  if (product.rows <= kFewRows && product.in % kLine == 0) {
    for (; begin + kPanelOuts <= end; begin += kPanelOuts)
      kMultiply[product.rows - 1](product, begin);
  }
  for (std::size_t row = 0; row < product.rows; row += kBlockRows) {
    const std::size_t rows = product.rows - row < kBlockRows ? product.rows - row : kBlockRows;
    for (std::size_t out = begin; out < end; out += kGroupOuts) {
      const std::size_t outs = end - out < kGroupOuts ? end - out : kGroupOuts;
      multiply_group<Lanes>(product, row, rows, out, outs);
    }
  }
}

}  // namespace refran::marian::kernel
