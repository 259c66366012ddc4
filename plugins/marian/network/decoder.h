// The decoder over sentences side by side, with a cache: it reads tokens as a search hands them
// over, any number of rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forward.h"

namespace refran::marian {

// A token for the decoder to read.
struct DecoderRow {
  std::int32_t token = 0;
  std::size_t sentence = 0;
  // The rows read before it in its hypothesis, in order. Its position is their number.
  std::span<const std::uint32_t> before;
  RowRecord self;
  RowRecord cross;
};

class Decoder {
 public:
  // Forms keys and values of the encoder's rows for every layer.
  Decoder(Forward& forward, const Encoded& encoded);

  // Makes room for so many rows, within reason, so that what was read need not be moved.
  void reserve(std::size_t rows);

  // Reads rows, whose ids are the next numbers from `rows_read` on. A row may come before another
  // of the same call.
  void read(std::span<const DecoderRow> rows);

  std::size_t rows_read() const { return rows_read_; }
  // After `read`, of its rows: the last layer's output [row, model_dim].
  const Rows& output() const { return x_; }

  // What was read so far, for records: the layer's memory, and a hook after every layer of a read.
  struct Observer {
    virtual ~Observer() = default;
    // Of the rows of this call: the stream x before layer `depth` (after the last for depth =
    // layers), …
    virtual void stream(std::size_t depth, const Rows& x) = 0;
    // … the heads' outputs, and all keys and values of a layer.
    virtual void layer(AttentionKind kind, std::size_t layer, const KeysAndValues& memory,
                       const Rows& heads_out) = 0;
  };
  void observe(Observer* observer) { observer_ = observer; }

 private:
  void make_contexts(std::span<const DecoderRow> rows);

  Forward& forward_;
  const Encoded& encoded_;
  Observer* observer_ = nullptr;
  std::size_t rows_read_ = 0;
  std::vector<KeysAndValues> self_;   // [layer]
  std::vector<KeysAndValues> cross_;  // [layer]
  std::vector<std::uint32_t> context_ids_;
  DecoderContexts contexts_;
  LayerScratch scratch_;
  Rows x_;
};

}  // namespace refran::marian
