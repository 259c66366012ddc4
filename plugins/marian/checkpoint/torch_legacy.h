// Reader of what torch.save wrote before PyTorch 1.6: pickles one after another, then the storages.
#pragma once

#include "storage.h"

namespace refran::marian {

// Throws ModelError; see pickle.h and torch_tensors.h. Refuses big-endian files, and bytes after
// the last storage.
Contents read_torch_legacy(const FileBytes& file);

}  // namespace refran::marian
