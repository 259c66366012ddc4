// What the runner implements for a run: the face behind `Run`. Not for plugin authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <refran/schema.h>

namespace refran::detail {

// An output as it crosses the boundary: the declaration's address finds it fast, its name finds it
// at all.
struct OutputRef {
  const void* declaration;
  const char* name;
  Element element;
  std::size_t rank;
};

inline constexpr std::size_t kNoItem = static_cast<std::size_t>(-1);

// Values of numeric elements are row-major bytes; of text, an array of std::string.
struct HostArray {
  std::span<const std::size_t> extents;
  const void* values;
  std::size_t count;
};

class Host {
 public:
  virtual ~Host() = default;

  virtual void put(const OutputRef& output, std::size_t item, const HostArray& array) = 0;
  // `array` has the output's rank; its first extent says by how much the output grows.
  virtual void append(const OutputRef& output, std::size_t item, const HostArray& array) = 0;
  virtual void labels(std::size_t item, std::string_view dim, std::vector<std::string> labels) = 0;
  virtual void items(std::string_view list, std::vector<std::string> labels) = 0;
  virtual void log(std::string_view text, bool warning) = 0;
  virtual void note(std::string_view key, std::string_view value) = 0;
  virtual void announce(std::uint64_t bytes) = 0;
  virtual void progress(double done, double total) = 0;
  virtual bool stop_requested() = 0;
  virtual int threads() const = 0;
  virtual std::uint64_t seed() const = 0;
  virtual void fail(std::string text) = 0;
  virtual void complete() = 0;
  virtual const void* part() = 0;
};

}  // namespace refran::detail
