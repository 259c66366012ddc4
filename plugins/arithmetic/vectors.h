// Vectors files: the point of every word, as plain text.
//
//   # kinship terms
//   tía   0.0  3.0
//   miña  4.0  1.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <refran/array.h>

namespace refran::arithmetic {

// Words and their points, in the order they were listed.
using NamedVectors = std::vector<std::pair<std::string, std::vector<double>>>;

// Reads one word per line, then its numbers, white space between; `#` begins a comment. All words
// have the same number of numbers. Throws refran::Error, "name:line: …", for a number that is none
// or is not finite, a word without numbers or with another count of them, a word listed twice,
// bytes that are not UTF-8, and a file without vectors.
NamedVectors parse_vectors(std::string_view text, std::string_view name);

// The same from a file; throws refran::Error where it cannot be read.
NamedVectors read_vectors(const std::filesystem::path& file);

// The point of `word`, null where there is none.
const std::vector<double>* find_vector(const NamedVectors& vectors, std::string_view word);

}  // namespace refran::arithmetic
