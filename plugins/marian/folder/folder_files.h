// Reading the small files of a model folder, and telling one that is not what its name says.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace refran::marian {

// What a file that begins so really is, where it is no model's: "a Git LFS pointer …", "an HTML
// page …"; "" where nothing is known against it.
std::string_view impostor(std::string_view beginning);

// The whole text. Throws ModelError where the file cannot be read, is empty, larger than
// `most_bytes`, or an impostor.
std::string read_text_file(const std::filesystem::path& file, std::size_t most_bytes);

// Looks at the beginning of a file that a library will read. Throws as `read_text_file` does.
void check_beginning(const std::filesystem::path& file);

}  // namespace refran::marian
