// Reader of NumPy's npz: a zip file of arrays in the npy format, as native Marian writes models.
#pragma once

#include "storage.h"
#include "zip_archive.h"

namespace refran::marian {

// A tensor per member, named as it is without ".npy". Throws ModelError for other members, arrays
// in Fortran's order, big-endian ones, and elements that are no plain numbers.
Contents read_npz(const FileBytes& file, ZipArchive& archive);

// An array in the npy format, versions 1 to 3. Its elements lie in `bytes`, all of the array's
// file; `name` is what its errors call it.
StoredTensor read_npy(const FileBytes& file, std::string_view name,
                      std::span<const std::byte> bytes);

}  // namespace refran::marian
