// Rows times a matrix that lies as checkpoints have it, [out, in].
//
// With few rows the weights are what is waited for, each being used but once: lanes are outs. With
// more rows, lanes are rows: they are packed once, and the weights are read where they lie.
//
// The order of a number's sum is one for both, whatever the rows beside it: each chunk of 256 ins
// is summed from its first term on; then the chunks' sums, then the bias.
#pragma once

#include <utility>

#include "kernels.h"
#include "rows.h"
#include "vectors.h"

namespace refran::marian::kernel {

constexpr std::size_t kChunk = 256;
// The outs that few rows are multiplied by at once: two registers.
constexpr std::size_t kFewOuts = 2 * kWidth;

// Sums of some rows and sixteen outs, in registers.
template <std::size_t Rows, class Lanes>
struct FewSums {
  Lanes sum[Rows][2];

  FewSums() {
    for (std::size_t r = 0; r < Rows; ++r) sum[r][0] = sum[r][1] = Lanes::of(0);
  }

  // totals[row, out] += sum.
  void add_to(float* totals) const {
    for (std::size_t r = 0; r < Rows; ++r) {
      for (std::size_t half = 0; half < 2; ++half) {
        float* total = totals + r * kFewOuts + half * kWidth;
        (Lanes::load(total) + sum[r][half]).store(total);
      }
    }
  }
};

// Sixteen outs. The weights are transposed in registers, a cache line of each of eight outs after
// the other; as many are fetched from `next` on. `in` is a multiple of a cache line.
template <std::size_t Rows, class Lanes>
void multiply_few(const Matmul& product, std::size_t out, const float* next) {
  const std::size_t in = product.in;
  const float* const weight = product.weight + out * in;
  float totals[Rows * kFewOuts] = {};
  for (std::size_t begin = 0; begin < in; begin += kChunk) {
    const std::size_t end = in - begin < kChunk ? in : begin + kChunk;
    FewSums<Rows, Lanes> sums;
    for (std::size_t i = begin; i < end; i += kLine) {
      for (std::size_t half = 0; half < 2; ++half) {
        for (std::size_t j = i; j < i + kLine; j += 4) {
          // Two lines at a time: a core waits for some twenty at once, sixteen together leave it
          // without any to wait for in between.
          const float* const ahead = next + i * kFewOuts + (half * 4 + (j - i) / 4) * 2 * kLine;
          __builtin_prefetch(ahead, 0, 2);
          __builtin_prefetch(ahead + kLine, 0, 2);
          Lanes column[4];
          load_columns([&](std::size_t o) { return weight + (half * kWidth + o) * in + j; },
                       column);
          for (std::size_t k = 0; k < 4; ++k) {
            for (std::size_t r = 0; r < Rows; ++r) {
              const Lanes term = Lanes::of(product.x[r * in + j + k]);
              sums.sum[r][half] = fma(term, column[k], sums.sum[r][half]);
            }
          }
        }
      }
    }
    sums.add_to(totals);
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    float* y = product.y + r * product.y_stride + out;
    for (std::size_t o = 0; o < kFewOuts; ++o)
      y[o] = totals[r * kFewOuts + o] + product.bias[out + o];
  }
}

// One number, where sixteen outs or a cache line of ins are lacking.
template <class Lanes>
inline void multiply_one(const Matmul& product, std::size_t row, std::size_t out) {
  const float* const x = product.x + row * product.in;
  const float* const weight = product.weight + out * product.in;
  Lanes total = Lanes::of(0);
  for (std::size_t begin = 0; begin < product.in; begin += kChunk) {
    Lanes sum = Lanes::of(0);
    for (std::size_t i = begin; i < product.in && i < begin + kChunk; ++i)
      sum = fma(Lanes::of(x[i]), Lanes::of(weight[i]), sum);
    total = total + sum;
  }
  store_part(total + Lanes::of(product.bias[out]), product.y + row * product.y_stride + out, 1);
}

template <class Lanes>
void matmul_few(const Matmul& product, std::size_t begin, std::size_t end) {
  using Multiply = void (*)(const Matmul&, std::size_t, const float*);
  constexpr Multiply kMultiply[kFewRows] = {multiply_few<1, Lanes>, multiply_few<2, Lanes>,
                                            multiply_few<3, Lanes>, multiply_few<4, Lanes>};
  if (product.in % kLine == 0) {
    for (; begin + kFewOuts <= end; begin += kFewOuts) {
      const std::size_t behind = begin + kFewOuts;
      kMultiply[product.rows - 1](
          product, begin, behind < end ? product.weight + behind * product.in : product.next);
    }
  }
  for (; begin < end; ++begin)
    for (std::size_t row = 0; row < product.rows; ++row) multiply_one<Lanes>(product, row, begin);
}

// Where packed rows are. Eight rows are a register; two registers are a group, the last of which
// has one to three. They lie as [chunk, group, in of the chunk, row of the group], so that a
// group's chunk is read from its beginning to its end. A template, as all that the two compilations
// must not share.
template <class Lanes>
struct Packing {
  std::size_t registers;
  std::size_t in;

  Packing(std::size_t rows, std::size_t in_dim)
      : registers((rows + kWidth - 1) / kWidth), in(in_dim) {}

  std::size_t groups() const { return registers < 2 ? 1 : registers / 2; }
  // The first register of a group; for the number of groups, the number of registers.
  std::size_t first(std::size_t group) const { return group < groups() ? 2 * group : registers; }
  std::size_t size(std::size_t group) const { return first(group + 1) - first(group); }
  std::size_t group_of(std::size_t eight) const {
    return eight / 2 < groups() ? eight / 2 : groups() - 1;
  }
  // The ins of the chunk that begins at `begin`, and where a group's part of it lies.
  std::size_t count(std::size_t begin) const { return in - begin < kChunk ? in - begin : kChunk; }
  std::size_t offset(std::size_t group, std::size_t begin) const {
    return (registers * begin + first(group) * count(begin)) * kWidth;
  }
};

// A chunk of eight rows, of a group that has `width`.
template <class Lanes>
inline void pack_register(const float* const* row, std::size_t begin, std::size_t count,
                          std::size_t width, float* packed) {
  std::size_t i = begin;
  for (; i + 4 <= begin + count; i += 4) {
    Lanes column[4];
    load_columns([&](std::size_t j) { return row[j] + i; }, column);
    for (std::size_t k = 0; k < 4; ++k, packed += width) column[k].store(packed);
  }
  for (; i < begin + count; ++i, packed += width)
    for (std::size_t j = 0; j < kWidth; ++j) packed[j] = row[j][i];
}

template <class Lanes>
void pack(const Pack& pack, std::size_t eight) {
  const Packing<Lanes> packing(pack.rows, pack.in);
  const std::size_t group = packing.group_of(eight);
  // The last row again for those that a register lacks.
  const float* rows[kWidth];
  for (std::size_t j = 0; j < kWidth; ++j) {
    const std::size_t row = eight * kWidth + j;
    rows[j] = pack.x + (row < pack.rows ? row : pack.rows - 1) * pack.in;
  }
  float* const packed = pack.packed + (eight - packing.first(group)) * kWidth;
  for (std::size_t begin = 0; begin < pack.in; begin += kChunk) {
    pack_register<Lanes>(rows, begin, packing.count(begin), packing.size(group) * kWidth,
                         packed + packing.offset(group, begin));
  }
}

// A tile's sums, in registers: they hide the latency of a multiply-add and leave registers for x
// and a weight.
constexpr std::size_t kSums = 12;
// A block is of some outs and groups, and works on a chunk after the other: a group's part of x,
// 16 KiB, stays in the first cache for all the outs, whose part of the weights, 48 KiB, stays in
// the second for all groups, as the block's totals do.
constexpr std::size_t kBlockOuts = 64;
constexpr std::size_t kBlockGroups = 12;

// totals[out, row] = or += weight[out, in] · x[in, row] of a chunk, some outs and a group.
struct Tile {
  const float* x;
  std::size_t count;  // of the chunk's ins
  const float* weight;
  std::size_t in;  // the distance of rows of the weights
  float* totals;
  std::size_t stride;
  bool is_first;  // chunk: totals have no value yet
  // So many rows of weights are fetched meanwhile, of those that come next.
  const float* next;
  std::size_t next_outs;
};

// A chunk has an in at least, so that the sums need not be in memory for the case of none.
template <std::size_t Registers, std::size_t Outs, class Lanes>
void multiply_tile(const Tile& tile) {
  Lanes sum[Outs][Registers];
  for (auto& of_out : sum)
    for (Lanes& number : of_out) number = Lanes::of(0);
  const float* const weight = tile.weight;
  const std::size_t in = tile.in;
  const float* x = tile.x;
  std::size_t i = 0;
  do {
    for (std::size_t out = 0; out < tile.next_outs; ++out)
      __builtin_prefetch(tile.next + out * in + i);
    const std::size_t end = tile.count - i < kLine ? tile.count : i + kLine;
    do {
      Lanes term[Registers];
      for (std::size_t r = 0; r < Registers; ++r) term[r] = Lanes::load(x + r * kWidth);
      for (std::size_t o = 0; o < Outs; ++o) {
        const Lanes factor = Lanes::of(weight[o * in + i]);
        for (std::size_t r = 0; r < Registers; ++r) sum[o][r] = fma(factor, term[r], sum[o][r]);
      }
      x += Registers * kWidth;
    } while (++i < end);
  } while (i < tile.count);
  float* total = tile.totals;
  const std::size_t stride = tile.stride;
  const bool is_first = tile.is_first;
  for (std::size_t o = 0; o < Outs; ++o, total += stride) {
    for (std::size_t r = 0; r < Registers; ++r) {
      float* const of_register = total + r * kWidth;
      (is_first ? sum[o][r] : Lanes::load(of_register) + sum[o][r]).store(of_register);
    }
  }
}

using MultiplyTile = void (*)(const Tile&);

template <std::size_t Registers, class Lanes, std::size_t... Outs>
inline MultiplyTile tile_of(std::size_t outs, std::index_sequence<Outs...>) {
  constexpr MultiplyTile kMultiply[] = {multiply_tile<Registers, Outs + 1, Lanes>...};
  return kMultiply[outs - 1];
}

// For at most kSums / registers outs.
template <class Lanes>
inline MultiplyTile tile_of(std::size_t registers, std::size_t outs) {
  if (registers == 1) return tile_of<1, Lanes>(outs, std::make_index_sequence<kSums>());
  if (registers == 2) return tile_of<2, Lanes>(outs, std::make_index_sequence<kSums / 2>());
  return tile_of<3, Lanes>(outs, std::make_index_sequence<kSums / 3>());
}

// A block's outs and one group of so many registers, in tiles of about as many outs each. They
// fetch `next_outs` rows together: one tile alone would wait for each.
template <class Lanes>
inline void multiply_group(Tile tile, std::size_t registers, std::size_t outs) {
  const std::size_t at_once = kSums / registers;
  std::size_t next_outs = tile.next_outs;
  for (std::size_t tiles = (outs + at_once - 1) / at_once; tiles > 0; --tiles) {
    const std::size_t some = (outs + tiles - 1) / tiles;
    tile.next_outs = (next_outs + tiles - 1) / tiles;
    tile_of<Lanes>(registers, some)(tile);
    tile.weight += some * tile.in;
    tile.totals += some * tile.stride;
    tile.next += tile.next_outs * tile.in;
    next_outs -= tile.next_outs;
    outs -= some;
  }
}

// The groups of a block.
struct Groups {
  std::size_t first;
  std::size_t count;
};

// Some outs and rows whose sums are complete: y[row, out] = totals[out, row] + bias[out].
template <class Lanes>
inline void put_totals(const Matmul& product, Groups groups, std::size_t out, std::size_t outs,
                       const float* totals, std::size_t stride) {
  const std::size_t first_row =
      Packing<Lanes>(product.rows, product.in).first(groups.first) * kWidth;
  const std::size_t left = product.rows - first_row;
  const std::size_t rows = left < stride ? left : stride;
  float* const y = product.y + first_row * product.y_stride + out;
  const float* const bias = product.bias + out;
  std::size_t o = 0;
  for (; o + kWidth <= outs; o += kWidth) {
    for (std::size_t row = 0; row < rows; row += 4) {
      Lanes column[4];
      load_columns([&](std::size_t j) { return totals + (o + j) * stride + row; }, column);
      for (std::size_t k = 0; k < 4 && row + k < rows; ++k)
        (column[k] + Lanes::load(bias + o)).store(y + (row + k) * product.y_stride + o);
    }
  }
  for (; o < outs; ++o)
    for (std::size_t row = 0; row < rows; ++row)
      y[row * product.y_stride + o] = totals[o * stride + row] + bias[o];
}

// The same, activated, as a product of these rows reads them.
template <class Lanes>
inline void put_packed(const Matmul& product, Activation activation, Groups groups, std::size_t out,
                       std::size_t outs, const float* totals, std::size_t stride) {
  const Packing<Lanes> packing(product.rows, product.y_stride);
  for (std::size_t o = 0; o < outs; ++o) {
    const std::size_t begin = (out + o) / kChunk * kChunk;
    const Lanes bias = Lanes::of(product.bias[out + o]);
    const float* total = totals + o * stride;
    for (std::size_t i = 0; i < groups.count; ++i) {
      const std::size_t width = packing.size(groups.first + i) * kWidth;
      float* const y =
          product.y + packing.offset(groups.first + i, begin) + (out + o - begin) * width;
      for (std::size_t r = 0; r < width; r += kWidth, total += kWidth)
        activated(activation, Lanes::load(total) + bias).store(y + r);
    }
  }
}

template <class Lanes, class Put>
inline void multiply_block(const Matmul& product, const Packing<Lanes>& packing, Groups groups,
                           std::size_t out, std::size_t outs, Put put) {
  alignas(64) float totals[kBlockOuts * (2 * kBlockGroups + 1) * kWidth];  // [out, row]
  const std::size_t in = product.in;
  const std::size_t first = packing.first(groups.first);
  const std::size_t stride = (packing.first(groups.first + groups.count) - first) * kWidth;
  const float* const weight = product.weight + out * in;
  for (std::size_t begin = 0; begin < in; begin += kChunk) {
    const std::size_t count = packing.count(begin);
    // The next chunk of these outs, then the first of the outs behind them, a part by each group.
    const float* const next = weight + (begin + count < in ? begin + count : outs * in);
    std::size_t fetched = 0;
    for (std::size_t i = 0; i < groups.count; ++i) {
      const std::size_t group = groups.first + i;
      const std::size_t to_fetch = outs * (i + 1) / groups.count;
      multiply_group<Lanes>({.x = product.x + packing.offset(group, begin),
                             .count = count,
                             .weight = weight + begin,
                             .in = in,
                             .totals = totals + (packing.first(group) - first) * kWidth,
                             .stride = stride,
                             .is_first = begin == 0,
                             .next = next + fetched * in,
                             .next_outs = to_fetch - fetched},
                            packing.size(group), outs);
      fetched = to_fetch;
    }
  }
  put(groups, out, outs, totals, stride);
}

// put(groups, out, outs, totals, stride) of every block whose sums are complete.
template <class Lanes, class Put>
inline void multiply_blocks(const Matmul& product, std::size_t begin, std::size_t end, Put put) {
  const Packing<Lanes> packing(product.rows, product.in);
  for (std::size_t group = 0; group < packing.groups(); group += kBlockGroups) {
    const std::size_t left = packing.groups() - group;
    const Groups groups{group, left < kBlockGroups ? left : kBlockGroups};
    for (std::size_t out = begin; out < end; out += kBlockOuts) {
      const std::size_t outs = end - out < kBlockOuts ? end - out : kBlockOuts;
      multiply_block<Lanes>(product, packing, groups, out, outs, put);
    }
  }
}

template <class Lanes>
void matmul(const Matmul& product, std::size_t begin, std::size_t end) {
  if (product.rows == 0) return;
  if (product.rows <= kFewRows) return matmul_few<Lanes>(product, begin, end);
  multiply_blocks<Lanes>(product, begin, end, [&](Groups groups, auto... block) {
    put_totals<Lanes>(product, groups, block...);
  });
}

template <class Lanes>
void matmul_activated(const Matmul& product, Activation activation, std::size_t begin,
                      std::size_t end) {
  multiply_blocks<Lanes>(product, begin, end, [&](Groups groups, auto... block) {
    put_packed<Lanes>(product, activation, groups, block...);
  });
}

}  // namespace refran::marian::kernel
