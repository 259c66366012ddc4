// The plain data by which runner and plugin make sure of each other before any C++ type crosses.
// Only fields at the end of a struct may ever be added; `size` tells the reader how many there are.
#pragma once

#include <cstdint>

namespace refran {

struct Description;
struct Value;
class Problems;
class Run;
class Group;

namespace detail {

// Raised whenever a type that crosses the boundary changes its layout or meaning.
inline constexpr std::uint32_t kInterface = 2;

struct Handshake {
  std::uint32_t size;
  std::uint32_t interface;
  const char* standard_library;   // "libstdc++", "libc++"
  std::uint8_t cxx11_abi;         // _GLIBCXX_USE_CXX11_ABI
  std::uint8_t debug_containers;  // _GLIBCXX_DEBUG
  std::uint8_t address_sanitizer;
  std::uint8_t thread_sanitizer;
  const char* compiler;    // recorded, not compared
  const char* build_type;  // recorded, not compared: "release", "debug"
};

// What the plugin offers, with its C++ types erased. `config` is what `bind` returned.
struct ExperimentTable {
  std::uint32_t size;
  void (*describe)(Description& description);
  void* (*bind)(const Value& resolved);
  void (*destroy)(void* config);
  void (*check)(const void* config, Problems& problems);
  // Whether the output of that index is written under this config.
  bool (*is_written)(const void* config, std::uint32_t output);
  void (*run)(const void* config, Run& run);
  void (*run_group)(const void* config, Group& group);
};

#if defined(__SANITIZE_ADDRESS__)
#define REFRAN_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REFRAN_HAS_ASAN 1
#endif
#endif
#ifndef REFRAN_HAS_ASAN
#define REFRAN_HAS_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define REFRAN_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define REFRAN_HAS_TSAN 1
#endif
#endif
#ifndef REFRAN_HAS_TSAN
#define REFRAN_HAS_TSAN 0
#endif

#if defined(__clang__)
#define REFRAN_COMPILER "clang " __clang_version__
#else
#define REFRAN_COMPILER "gcc " __VERSION__
#endif

#ifdef NDEBUG
#define REFRAN_BUILD_TYPE "release"
#else
#define REFRAN_BUILD_TYPE "debug"
#endif

#ifdef _GLIBCXX_DEBUG
#define REFRAN_DEBUG_CONTAINERS 1
#else
#define REFRAN_DEBUG_CONTAINERS 0
#endif

// Needs a standard header before it, for the library's own macros.
#if defined(_LIBCPP_VERSION)
#define REFRAN_STANDARD_LIBRARY "libc++"
#define REFRAN_CXX11_ABI 1
#else
#define REFRAN_STANDARD_LIBRARY "libstdc++"
#define REFRAN_CXX11_ABI _GLIBCXX_USE_CXX11_ABI
#endif

// The handshake of the code that includes this header; not inline, since every library keeps its
// own.
constexpr Handshake kOwnHandshake{
    sizeof(Handshake),       kInterface,      REFRAN_STANDARD_LIBRARY, REFRAN_CXX11_ABI,
    REFRAN_DEBUG_CONTAINERS, REFRAN_HAS_ASAN, REFRAN_HAS_TSAN,         REFRAN_COMPILER,
    REFRAN_BUILD_TYPE};

inline constexpr const char* kHandshakeSymbol = "refran_handshake";
inline constexpr const char* kExperimentSymbol = "refran_experiment";
inline constexpr const char* kPartSymbol = "refran_part";

}  // namespace detail
}  // namespace refran

// Defines a constant with C linkage that the loader finds by its name.
#define REFRAN_EXPORT(Type, name, value)                         \
  extern "C" {                                                   \
  extern __attribute__((visibility("default"))) const Type name; \
  const Type name = value;                                       \
  }
