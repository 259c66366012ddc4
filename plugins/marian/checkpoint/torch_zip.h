// Reader of what torch.save writes since PyTorch 1.6: a zip file with the pickle of the state_dict
// as <root>/data.pkl, and every storage as <root>/data/<key>.
#pragma once

#include "storage.h"
#include "zip_archive.h"

namespace refran::marian {

// Throws ModelError; see pickle.h and torch_tensors.h. Refuses TorchScript and big-endian files.
Contents read_torch_zip(const FileBytes& file, ZipArchive& archive);

// Whether the archive is one of PyTorch: it has a data.pkl in a folder.
bool is_torch_zip(const ZipArchive& archive);

}  // namespace refran::marian
