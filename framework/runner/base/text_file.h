// Small text files, written so that a killed process never leaves half of one.
#pragma once

#include <filesystem>
#include <string>

namespace refran::runner {

// The whole file as text; "" where there is none.
std::string read_text_file(const std::filesystem::path& file);

// Writes beside the file, synced, and renames: readers see all of it or what was there before.
// Throws StorageError.
void write_file_atomically(const std::filesystem::path& file, const std::string& text);

// Makes a file that is not there yet (O_EXCL); false where it is. Throws StorageError.
bool write_new_file(const std::filesystem::path& file, const std::string& text);

// Renames, and syncs the folder to disk. Throws StorageError.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

// Throws StorageError "PATH: WHAT: the text of errno".
[[noreturn]] void throw_errno(const std::filesystem::path& path, std::string_view what);

}  // namespace refran::runner
