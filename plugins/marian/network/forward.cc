#include "forward.h"

#include <algorithm>
#include <cmath>

namespace refran::marian {
namespace {

// Parts of a product are at least so many outs: long enough to be worth handing out.
constexpr std::size_t kOutsAtOnce = 64;
// What a thread fetches of the next product's weights while it waits: 256 KiB.
constexpr std::size_t kFloatsAhead = 1 << 16;
// Fewer multiplications than these are done before another thread has woken up.
constexpr std::size_t kWorthSharing = 1 << 15;

// Shares work out, but for what is done before another thread has woken up.
template <class Part>
void share(Team& team, std::size_t count, bool is_small, const Part& part,
           std::span<const Ahead> ahead = {}) {
  if (!is_small) return team.share(count, part, ahead);
  for (std::size_t index = 0; index < count; ++index) part(index, std::size_t{0});
}

std::size_t in_of(const LinearWeights& weights) {
  return weights.weight.size() / weights.bias.size();
}

// Products in parts of some outs. There are more parts than threads, since others may slow one
// down; they are whole cache lines of y. A thread's parts follow each other, so that the weights it
// fetches ahead are its own.
class Parts {
 public:
  struct Part {
    const Product* product;
    std::size_t begin;
    std::size_t end;
  };

  explicit Parts(std::span<const Product> products) : products_(products) {
    for (const Product& product : products) count_ += count_of(product);
  }

  std::size_t count() const { return count_; }
  Part operator[](std::size_t index) const {
    const Product* product = products_.data();
    for (; index >= count_of(*product); ++product) index -= count_of(*product);
    const std::size_t begin = index * size_of(*product);
    return {product, begin, std::min(begin + size_of(*product), product->weights->bias.size())};
  }

 private:
  static std::size_t size_of(const Product& product) {
    return std::max(kOutsAtOnce, product.weights->bias.size() / 64 / 16 * 16);
  }
  static std::size_t count_of(const Product& product) {
    return (product.weights->bias.size() + size_of(product) - 1) / size_of(product);
  }

  std::span<const Product> products_;
  std::size_t count_ = 0;
};

// The gates of one layer as its rows need them.
struct LayerGates {
  std::vector<const Gate*> gate;      // [head]
  std::vector<std::uint8_t> uniform;  // [head]
  bool has_any = false;

  LayerGates(const Gates& gates, AttentionKind kind, std::size_t layer, std::size_t heads)
      : gate(heads), uniform(heads) {
    for (std::size_t head = 0; head < heads; ++head) {
      gate[head] = gates.find({kind, layer, head});
      if (gate[head] == nullptr) continue;
      has_any = true;
      uniform[head] = gate[head]->mode == GateMode::uniform ? 1 : 0;
    }
  }

  // Puts in what stands for the heads' outputs in one row [model_dim].
  void replace(float* row, std::size_t head_dim) const {
    for (std::size_t head = 0; head < gate.size(); ++head) {
      if (gate[head] == nullptr || gate[head]->mode == GateMode::uniform) continue;
      float* output = row + head * head_dim;
      if (gate[head]->mode == GateMode::mean) {
        std::copy_n(gate[head]->mean.begin(), head_dim, output);
      } else {
        std::fill_n(output, head_dim, 0.0F);
      }
    }
  }
};

}  // namespace

void Forward::embed(std::span<const float> embedding, std::span<const float> position_table,
                    std::span<const std::int32_t> ids, std::span<const std::size_t> positions,
                    Rows& x) const {
  const std::size_t dim = this->dim();
  const float scale = model_.config.scale_embedding ? std::sqrt(static_cast<float>(dim)) : 1.0F;
  x.resize(ids.size() * dim);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const float* word = embedding.data() + static_cast<std::size_t>(ids[row]) * dim;
    const float* position = position_table.data() + positions[row] * dim;
    for (std::size_t i = 0; i < dim; ++i) x[row * dim + i] = word[i] * scale + position[i];
  }
}

const float* Forward::packed(const float* x, std::size_t rows, std::size_t in) {
  packed_.resize(kernel::packed_size(rows, in));
  const kernel::Pack pack{.x = x, .rows = rows, .in = in, .packed = packed_.data()};
  share(team_, (rows + 7) / 8, rows * in < kWorthSharing,
        [&](std::size_t eight, std::size_t) { model_.kernels->pack(pack, eight); });
  return packed_.data();
}

std::span<const Ahead> Forward::ahead_of(std::span<const Product> products) {
  const float* const first = products.front().weights->weight.data();
  if (last_product_ != nullptr)
    next_products_[last_product_].assign(products.begin(), products.end());
  last_product_ = first;
  ahead_.clear();
  const Parts parts(next_products_[first]);
  for (std::size_t member = 0; parts.count() > 0 && member < team_.size(); ++member) {
    const auto [product, begin, end] = parts[team_.first_of(parts.count(), member)];
    const std::span<const float> weight = product->weights->weight;
    const std::size_t offset = begin * in_of(*product->weights);
    ahead_.push_back({weight.data() + offset, std::min(kFloatsAhead, weight.size() - offset)});
  }
  return ahead_;
}

void Forward::multiply(const float* x, std::size_t rows, std::initializer_list<Product> products) {
  const bool is_few = rows <= kernel::kFewRows;
  multiply_packed(is_few ? x : packed(x, rows, in_of(*products.begin()->weights)), rows, products);
}

void Forward::multiply_packed(const float* x, std::size_t rows, std::span<const Product> products) {
  const std::size_t in = in_of(*products.front().weights);
  const Parts parts(products);
  std::size_t multiplications = 0;
  for (const Product& product : products) multiplications += rows * product.weights->weight.size();
  const bool is_small = multiplications < kWorthSharing;
  std::span<const Ahead> ahead;
  if (rows <= kernel::kFewRows && !is_small) ahead = ahead_of(products);
  const auto part_of = [&](std::size_t index, std::size_t member) {
    const auto [product, begin, end] = parts[index];
    const bool is_last = index + 1 == team_.first_of(parts.count(), member + 1);
    const LinearWeights& weights = *product->weights;
    const kernel::Matmul matmul{
        .x = x,
        .rows = rows,
        .in = in,
        .weight = weights.weight.data(),
        .bias = weights.bias.data(),
        .y = product->y,
        .y_stride = weights.bias.size(),
        .next = is_last && !ahead.empty() ? ahead[member].begin : weights.weight.data() + end * in};
    if (product->is_activated) {
      model_.kernels->matmul_activated(matmul, model_.config.activation, begin, end);
    } else {
      model_.kernels->matmul(matmul, begin, end);
    }
  };
  share(team_, parts.count(), is_small, part_of, ahead);
}

void Forward::attend(AttentionKind kind, std::size_t layer, const Rows& queries,
                     const KeysAndValues& memory, std::span<const RowContext> contexts,
                     Rows& heads_out) {
  const std::size_t dim = this->dim();
  const std::size_t heads = kind == AttentionKind::encoder_self ? model_.config.encoder_heads
                                                                : model_.config.decoder_heads;
  const std::size_t head_dim = dim / heads;
  const LayerGates gates(gates_, kind, layer, heads);
  std::size_t longest = 0;
  std::size_t pairs = 0;
  for (const RowContext& context : contexts) {
    longest = std::max(longest, context.positions);
    pairs += context.positions;
  }
  for (Rows& scratch : scratch_) scratch.resize(kernel::scratch_size(longest));
  heads_out.resize(contexts.size() * dim);
  share(team_, contexts.size(), pairs * dim < kWorthSharing,
        [&](std::size_t row, std::size_t member) {
          const RowContext& context = contexts[row];
          const RowRecord& record = context.record;
          float* output = heads_out.data() + row * dim;
          model_.kernels->attend({.query = queries.data() + row * dim,
                                  .keys = memory.keys.data(),
                                  .values = memory.values.data(),
                                  .context = context.context,
                                  .first = context.first,
                                  .positions = context.positions,
                                  .heads = heads,
                                  .head_dim = head_dim,
                                  .scale = 1 / std::sqrt(static_cast<float>(head_dim)),
                                  .uniform = gates.has_any ? gates.uniform.data() : nullptr,
                                  .output = output,
                                  .weights = record.weight == nullptr
                                                 ? nullptr
                                                 : record.weight + layer * record.layer_stride,
                                  .weights_stride = record.head_stride,
                                  .scratch = scratch_[member].data()});
          if (gates.has_any) gates.replace(output, head_dim);
        });
}

void Forward::add_norm(const NormWeights& norm, const Rows& added, Rows& x) {
  const std::size_t dim = this->dim();
  const std::size_t rows = x.size() / dim;
  constexpr std::size_t kRowsAtOnce = 16;
  const std::size_t parts = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
  share(team_, parts, rows <= kRowsAtOnce, [&](std::size_t part, std::size_t) {
    const std::size_t first = part * kRowsAtOnce;
    model_.kernels->add_norm({.x = x.data() + first * dim,
                              .added = added.data() + first * dim,
                              .rows = std::min(kRowsAtOnce, rows - first),
                              .dim = dim,
                              .scale = norm.scale.data(),
                              .bias = norm.bias.data(),
                              .epsilon = model_.config.layer_norm_epsilon});
  });
}

void Forward::finish_attention(const AttentionWeights& attention, const NormWeights& norm,
                               const Rows& heads_out, Rows& x) {
  added_.resize(x.size());
  multiply(heads_out.data(), x.size() / dim(), {{&attention.output, added_.data()}});
  add_norm(norm, added_, x);
}

void Forward::feed_forward(const LinearWeights& in, const LinearWeights& out,
                           const NormWeights& norm, Rows& x) {
  const std::size_t rows = x.size() / dim();
  const std::size_t hidden_dim = in.bias.size();
  added_.resize(x.size());
  if (rows <= kernel::kFewRows) {
    hidden_.resize(rows * hidden_dim);
    multiply(x.data(), rows, {{&in, hidden_.data()}});
    model_.kernels->activate(model_.config.activation, hidden_.data(), hidden_.size());
    multiply(hidden_.data(), rows, {{&out, added_.data()}});
  } else {
    hidden_.resize(kernel::packed_size(rows, hidden_dim));
    multiply(x.data(), rows, {{&in, hidden_.data(), true}});
    const Product product{&out, added_.data()};
    multiply_packed(hidden_.data(), rows, {&product, 1});
  }
  add_norm(norm, added_, x);
}

}  // namespace refran::marian
