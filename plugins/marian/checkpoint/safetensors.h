// Reader of safetensors: a JSON header that names tensors and where they lie, then their bytes.
#pragma once

#include "storage.h"

namespace refran::marian {

// Throws ModelError for a file that breaks any rule of the format: every byte after the header
// belongs to exactly one tensor, in row-major order, little-endian.
Contents read_safetensors(const FileBytes& file);

}  // namespace refran::marian
