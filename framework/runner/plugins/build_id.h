// The build-id that the linker wrote into a library: what results and sidecars know its code by.
#pragma once

#include <filesystem>
#include <string>

namespace refran::runner {

// In hexadecimal; "" where the file is an ELF library without one. Throws std::runtime_error where
// the file cannot be read or is no ELF library. Opens nothing as code.
std::string build_id_of(const std::filesystem::path& library);

}  // namespace refran::runner
