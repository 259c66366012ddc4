#include "vectors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include <refran/error.h>
#include "words.h"

namespace refran::arithmetic {
namespace {

constexpr std::string_view kSpace = " \t\r";

// The pieces of a line between white space, up to a piece that begins a comment.
std::vector<std::string_view> pieces_of(std::string_view line) {
  std::vector<std::string_view> pieces;
  for (std::size_t begin = line.find_first_not_of(kSpace); begin != std::string_view::npos;) {
    if (line[begin] == '#') break;
    const std::size_t end = std::min(line.find_first_of(kSpace, begin), line.size());
    pieces.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kSpace, end);
  }
  return pieces;
}

double number(std::string_view piece) {
  double value = 0;
  const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), value);
  if (error == std::errc::result_out_of_range)
    throw Error(fmt::format("'{}' is too large or too small", piece));
  if (error != std::errc{} || end != piece.data() + piece.size()) {
    throw Error(fmt::format("'{}' is no number; numbers are written as in 1.5 or -2e-3", piece));
  }
  if (!std::isfinite(value)) throw Error(fmt::format("'{}' is not a finite number", piece));
  return value;
}

// Reads lines into vectors, and knows what earlier lines said.
class Reader {
 public:
  void read(std::string_view line, std::size_t number_of_line) {
    const std::vector<std::string_view> pieces = pieces_of(line);
    if (pieces.empty()) return;
    std::string word = normalized(pieces.front(), Case::keep);
    std::vector<double> point;
    for (std::size_t i = 1; i < pieces.size(); ++i) point.push_back(number(pieces[i]));
    if (point.empty()) throw Error(fmt::format("'{}' has no numbers", word));
    if (!vectors_.empty() && point.size() != vectors_.front().second.size()) {
      throw Error(
          fmt::format("'{}' has {} numbers, '{}' above has {}; all words have the same number",
                      word, point.size(), vectors_.front().first, vectors_.front().second.size()));
    }
    const auto [first, is_new] = line_of_.emplace(word, number_of_line);
    if (!is_new)
      throw Error(
          fmt::format("'{}' is listed a second time; it is on line {} too", word, first->second));
    vectors_.emplace_back(std::move(word), std::move(point));
  }

  NamedVectors take() { return std::move(vectors_); }

 private:
  NamedVectors vectors_;
  std::map<std::string, std::size_t, std::less<>> line_of_;
};

}  // namespace

NamedVectors parse_vectors(std::string_view text, std::string_view name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Reader reader;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    try {
      reader.read(text.substr(0, end), line);
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", name, line, error.what()));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  NamedVectors vectors = reader.take();
  if (vectors.empty())
    throw Error(fmt::format("{}: no vectors in it; a line is a word and its numbers", name));
  return vectors;
}

NamedVectors read_vectors(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Error(fmt::format("{}: cannot be opened", file.string()));
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) throw Error(fmt::format("{}: cannot be read", file.string()));
  return parse_vectors(text, file.string());
}

const std::vector<double>* find_vector(const NamedVectors& vectors, std::string_view word) {
  const auto found = std::ranges::find(vectors, word, &NamedVectors::value_type::first);
  return found == vectors.end() ? nullptr : &found->second;
}

}  // namespace refran::arithmetic
