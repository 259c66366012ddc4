// What this build is: set by CMake.
#pragma once

namespace refran::runner {

extern const char* const kVersion;
extern const char* const kCommit;     // "" where it was not built from a git checkout
extern const char* const kFlags;      // of the compiler
extern const char* const kLibraries;  // "HDF5 1.10.8, yaml-cpp 0.7.0, …"

}  // namespace refran::runner
