// Rows times a matrix that lies as checkpoints have it, [out, in]: both are read along `in`, so
// nothing is packed or copied. Lane i of a number's accumulator takes in = i, i + 8, … in their
// order, whatever tile the number is in.
#pragma once

#include "kernels.h"
#include "vectors.h"

namespace refran::marian::kernel {

// 3 rows by 4 outs: twelve accumulators and four operands fill the sixteen registers of AVX2, and
// seven loads feed twelve multiply-adds.
constexpr std::size_t kTileRows = 3;
constexpr std::size_t kTileOuts = 4;
constexpr std::size_t kGroupOuts = 16;  // a cache line of y
// Tiles of the weights that rows are multiplied by before the next rows come, and so much of `in`
// at a time that these 16 KiB stay in the first cache.
constexpr std::size_t kTilesAtOnce = 2;
constexpr std::size_t kChunk = 512;
constexpr std::size_t kMostBlockRows = 192;
// Rows of x that are gone through for every tile of weights: 384 KiB, so that they stay in the
// second cache.
constexpr std::size_t kBlockFloats = 98304;

// From so many rows on a tile of the weights is copied first, to where loads of eight do not cross
// cache lines: a checkpoint's tensors begin anywhere.
constexpr std::size_t kRowsWorthCopying = 12;

// Four rows of the weights: number i of out o is at row[o][i / 8 · step + i % 8].
struct WeightTile {
  const float* row[kTileOuts];
  std::size_t step;
};

// The rows as they lie, `apart` outs from each other. Beyond the first `outs`, the last of them
// again.
template <class Lanes>
inline WeightTile tile_in_place(const Matmul& product, std::size_t out, std::size_t outs,
                                std::size_t apart) {
  WeightTile tile{{}, kWidth};
  for (std::size_t o = 0; o < kTileOuts; ++o)
    tile.row[o] = product.weight + (out + (o < outs ? o : outs - 1) * apart) * product.in;
  return tile;
}

// Numbers begin … end - 1 of the four rows, eight of one after eight of the other. The tile that is
// given back is to be used for these numbers alone, counted from 0.
template <class Lanes>
inline WeightTile copied_tile(const WeightTile& tile, std::size_t begin, std::size_t end,
                              float* memory) {
  WeightTile copy{{}, kTileOuts * kWidth};
  for (std::size_t o = 0; o < kTileOuts; ++o) {
    copy.row[o] = memory + o * kWidth;
    float* target = memory + o * kWidth;
    std::size_t i = begin;
    for (; i + kWidth <= end; i += kWidth, target += kTileOuts * kWidth)
      Lanes::load(tile.row[o] + i).store(target);
    if (i < end) load_part<Lanes>(tile.row[o] + i, end - i).store(target);
  }
  return copy;
}

// A part of the products of a tile: numbers `begin` … `end` - 1 of rows x [row, in].
struct Stretch {
  const float* x;
  std::size_t in;
  std::size_t begin;
  std::size_t end;
};

// Adds a stretch to the sums [row, out] of a tile, or begins them; after the last, the sums across
// their lanes go to y [row, kGroupOuts].
template <std::size_t Rows, class Lanes>
inline void multiply_tile(const Stretch& stretch, const WeightTile& weight, Lanes* sums, float* y) {
  constexpr std::size_t kLine = 2 * kWidth;
  const std::size_t in = stretch.in;
  const std::size_t count = stretch.end - stretch.begin;
  const float* x = stretch.x + stretch.begin;
  Lanes sum[Rows][kTileOuts];
  for (std::size_t r = 0; r < Rows; ++r)
    for (std::size_t o = 0; o < kTileOuts; ++o)
      sum[r][o] = stretch.begin == 0 ? Lanes::of(0) : sums[r * kTileOuts + o];
  std::size_t i = 0;
  std::size_t place = 0;
  const auto step = [&](std::size_t at, std::size_t tile_at) {
    Lanes row[Rows];
    for (std::size_t r = 0; r < Rows; ++r) row[r] = Lanes::load(x + r * in + at);
    for (std::size_t o = 0; o < kTileOuts; ++o) {
      const Lanes column = Lanes::load(weight.row[o] + tile_at);
      for (std::size_t r = 0; r < Rows; ++r) sum[r][o] = fma(row[r], column, sum[r][o]);
    }
  };
  for (; i + kLine <= count; i += kLine, place += 2 * weight.step) {
    step(i, place);
    step(i + kWidth, place + weight.step);
  }
  if (i + kWidth <= count) {
    step(i, place);
    i += kWidth;
    place += weight.step;
  }
  for (std::size_t r = 0; i < count && r < Rows; ++r) {
    const Lanes row = load_part<Lanes>(x + r * in + i, count - i);
    for (std::size_t o = 0; o < kTileOuts; ++o)
      sum[r][o] = fma(row, load_part<Lanes>(weight.row[o] + place, count - i), sum[r][o]);
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    if (stretch.end == in) {
      sums_of_four(sum[r], y + r * kGroupOuts);
    } else {
      for (std::size_t o = 0; o < kTileOuts; ++o) sums[r * kTileOuts + o] = sum[r][o];
    }
  }
}

// Asks for memory that will be read soon, a bit at a time: the weights of the next tile come while
// the rows are multiplied by this one.
struct Ahead {
  const char* next;
  std::size_t bytes_left;
  std::size_t bytes_at_once;

  inline void ask() {
    constexpr std::size_t kLine = 64;
    for (std::size_t asked = 0; asked < bytes_at_once && bytes_left > 0; asked += kLine) {
      __builtin_prefetch(next, 0, 2);
      next += kLine;
      bytes_left -= bytes_left < kLine ? bytes_left : kLine;
    }
  }
};

template <class Lanes>
inline Ahead after_tiles(const Matmul& product, std::size_t rows, std::size_t out) {
  constexpr std::size_t kOuts = kTilesAtOnce * kTileOuts;
  const std::size_t bytes = kOuts * product.in * sizeof(float);
  const std::size_t chunks = (product.in + kChunk - 1) / kChunk;
  const std::size_t times = chunks * ((rows + kTileRows - 1) / kTileRows);
  return {reinterpret_cast<const char*>(product.weight + (out + kOuts) * product.in), bytes,
          bytes / times + 1};
}

// Few rows: the weights are read once, at the speed of the memory, and used where they lie. A
// tile's four rows are a quarter of the outs apart, so that tile after tile reads four long
// streams.
template <class Lanes>
inline void multiply_few_rows(const Matmul& product, std::size_t begin, std::size_t end) {
  const std::size_t apart = end - begin < kTileOuts ? 1 : (end - begin) / kTileOuts;
  const std::size_t in = product.in;
  Lanes none[kTileRows * kTileOuts];  // one stretch needs no sums between
  const auto multiply_tiles = [&](std::size_t out, std::size_t outs) {
    const WeightTile weight = tile_in_place<Lanes>(product, out, outs, apart);
    float sums[kRowsWorthCopying * kGroupOuts];  // [row, kGroupOuts]
    const auto multiply = [&]<std::size_t Rows>(std::size_t r) {
      multiply_tile<Rows>({product.x + r * in, in, 0, in}, weight, none, sums + r * kGroupOuts);
    };
    std::size_t r = 0;
    for (; r + kTileRows <= product.rows; r += kTileRows)
      multiply.template operator()<kTileRows>(r);
    if (product.rows - r == 2) multiply.template operator()<2>(r);
    if (product.rows - r == 1) multiply.template operator()<1>(r);
    for (r = 0; r < product.rows; ++r) {
      for (std::size_t o = 0; o < outs; ++o) {
        const std::size_t place = out + o * apart;
        product.y[r * product.y_stride + place] = product.bias[place] + sums[r * kGroupOuts + o];
      }
    }
  };
  const std::size_t whole = (end - begin) / kTileOuts;
  for (std::size_t tile = 0; tile < whole; ++tile) multiply_tiles(begin + tile, kTileOuts);
  for (std::size_t out = begin + whole * kTileOuts; out < end; ++out) multiply_tiles(out, 1);
}

// Two tiles of outs, `outs` of which are wanted, of a block of rows: y[row, kGroupOuts].
template <class Lanes>
inline void multiply_block(const Matmul& product, std::size_t first_row, std::size_t rows,
                           std::size_t out, std::size_t outs, float* y) {
  alignas(64) float memory[kTilesAtOnce][kTileOuts * kChunk];
  Lanes sums[kTilesAtOnce][kMostBlockRows * kTileOuts];  // [tile][row, out]
  const std::size_t in = product.in;
  const std::size_t tiles = (outs + kTileOuts - 1) / kTileOuts;
  Ahead ahead = after_tiles<Lanes>(product, rows, out);
  for (std::size_t begin = 0; begin < in; begin += kChunk) {
    const std::size_t end = in - begin < kChunk ? in : begin + kChunk;
    WeightTile weight[kTilesAtOnce];
    for (std::size_t t = 0; t < tiles; ++t) {
      const std::size_t done = t * kTileOuts;
      weight[t] = copied_tile<Lanes>(tile_in_place<Lanes>(product, out + done, outs - done, 1),
                                     begin, end, memory[t]);
    }
    const auto multiply = [&]<std::size_t Rows>(std::size_t r) {
      ahead.ask();
      const Stretch stretch{product.x + (first_row + r) * in, in, begin, end};
      for (std::size_t t = 0; t < tiles; ++t)
        multiply_tile<Rows>(stretch, weight[t], sums[t] + r * kTileOuts,
                            y + r * kGroupOuts + t * kTileOuts);
    };
    std::size_t r = 0;
    for (; r + kTileRows <= rows; r += kTileRows) multiply.template operator()<kTileRows>(r);
    if (rows - r == 2) multiply.template operator()<2>(r);
    if (rows - r == 1) multiply.template operator()<1>(r);
  }
}

// The same for the outs of a cache line of y. They go out together, since rows of y may be apart by
// what makes them share a place in the cache.
template <class Lanes>
inline void multiply_group(const Matmul& product, std::size_t first_row, std::size_t rows,
                           std::size_t out, std::size_t outs) {
  float sums[kMostBlockRows * kGroupOuts];  // [row, out]
  constexpr std::size_t kOuts = kTilesAtOnce * kTileOuts;
  for (std::size_t o = 0; o < outs; o += kOuts) {
    const std::size_t left = outs - o < kOuts ? outs - o : kOuts;
    multiply_block<Lanes>(product, first_row, rows, out + o, left, sums + o);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    float* y = product.y + (first_row + r) * product.y_stride + out;
    for (std::size_t o = 0; o < outs; ++o) y[o] = product.bias[out + o] + sums[r * kGroupOuts + o];
  }
}

// How many rows of `rows` to take at a time: about as many each time, in whole tiles.
template <class Lanes>
inline std::size_t rows_at_once(std::size_t rows, std::size_t in) {
  std::size_t most = kBlockFloats / in;
  if (most > kMostBlockRows) most = kMostBlockRows;
  if (most < kTileRows) most = kTileRows;
  const std::size_t blocks = (rows + most - 1) / most;
  const std::size_t even = (rows + blocks - 1) / blocks;
  return (even + kTileRows - 1) / kTileRows * kTileRows;
}

template <class Lanes>
void matmul(const Matmul& product, std::size_t begin, std::size_t end) {
  if (product.rows < kRowsWorthCopying) return multiply_few_rows<Lanes>(product, begin, end);
  const std::size_t block = rows_at_once<Lanes>(product.rows, product.in);
  for (std::size_t row = 0; row < product.rows; row += block) {
    const std::size_t rows = product.rows - row < block ? product.rows - row : block;
    for (std::size_t out = begin; out < end; out += kGroupOuts) {
      const std::size_t outs = end - out < kGroupOuts ? end - out : kGroupOuts;
      multiply_group<Lanes>(product, row, rows, out, outs);
    }
  }
}

}  // namespace refran::marian::kernel
