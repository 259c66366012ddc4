// Beyond these no translation model goes. They bound what a hostile file makes us allocate.
#pragma once

#include <cstddef>
#include <cstdint>

namespace refran::marian {

constexpr std::int64_t kMostRows = 1 << 24;  // of an embedding
constexpr std::int64_t kMostWidth = 1 << 14;
constexpr std::int64_t kMostFfnWidth = 1 << 17;
constexpr std::int64_t kMostLayers = 256;
constexpr std::int64_t kMostPositions = 1 << 15;
constexpr std::int64_t kMostBeams = 1 << 12;
constexpr std::int64_t kMostLength = 1 << 20;
// Of a vocabulary or a SentencePiece model.
constexpr std::size_t kMostTextBytes = std::size_t{1} << 28U;

}  // namespace refran::marian
