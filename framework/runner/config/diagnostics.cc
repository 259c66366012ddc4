// Gathers problems, and words what was found and what was probably meant.
#include "diagnostics.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "utf8.h"

namespace refran::runner {

namespace {

constexpr std::size_t kLongestQuote = 60;  // characters

char32_t lower(char32_t letter) {
  return letter >= U'A' && letter <= U'Z' ? letter - U'A' + U'a' : letter;
}

// The optimal string alignment distance: letters inserted, left out, exchanged, or two neighbours
// swapped count 1 each. The case of ASCII letters does not count.
std::size_t edit_distance(const std::u32string& a, const std::u32string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = cost[i - 1][j - 1] + (same(i - 1, j - 1) ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, exchanged});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

void Diagnostics::add(const Origin& origin, std::string_view key, std::string_view text) {
  std::string line = origin.to_string();
  if (!line.empty()) line += ": ";
  if (!key.empty()) line.append(key).append(": ");
  line += text;
  if (lines_.insert(line).second) problems_.push_back({origin, std::move(line)});
}

void Diagnostics::add(const Diagnostics& others) {
  for (const Problem& problem : others.problems_) {
    if (lines_.insert(problem.line).second) problems_.push_back(problem);
  }
}

void Diagnostics::throw_if_any() const {
  if (empty()) return;
  std::vector<Problem> sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
    const auto place = [](const Origin& origin) {
      return std::tuple(origin.line == 0, origin.line, origin.column);
    };
    return place(a.origin) < place(b.origin);
  });
  std::string all;
  for (const Problem& problem : sorted) {
    if (!all.empty()) all += '\n';
    all += problem.line;
  }
  throw ConfigError(all);
}

std::string on_one_line(std::string_view text) {
  std::string shown;
  std::size_t length = 0;
  while (!text.empty()) {
    if (++length > kLongestQuote) {
      shown += "…";
      break;
    }
    const CodePoint point = first_code_point(text);
    const std::size_t bytes = std::max<std::size_t>(point.bytes, 1);
    if (point.bytes > 0 && is_printable(point.value)) {
      shown += text.substr(0, bytes);
    } else if (text.front() == '\n') {
      shown += "\\n";
    } else if (text.front() == '\t') {
      shown += "\\t";
    } else {
      for (const char byte : text.substr(0, bytes)) {
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

std::string in_quotes(std::string_view text) { return "'" + on_one_line(text) + "'"; }

std::string found(const Value& value) {
  std::string words(name_of(value.kind));
  switch (value.kind) {
    case Value::Kind::null:
    case Value::Kind::list:
    case Value::Kind::map:
      return words;
    case Value::Kind::text:
      return words + " " + in_quotes(value.text);
    case Value::Kind::boolean:
    case Value::Kind::integer:
    case Value::Kind::real:
      if (value.text.size() <= kLongestQuote) return words + " " + value.text;
      return words + " " + value.text.substr(0, kLongestQuote) + "…";
  }
  return words;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::u32string letters = code_points(word);
  // In a short word two wrong letters leave nothing to recognise it by.
  std::size_t best = std::min<std::size_t>(2, letters.size() / 2) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : known) {
    const std::u32string other = code_points(candidate);
    if (other.size() > letters.size() + 2 || letters.size() > other.size() + 2) continue;
    const std::size_t distance = edit_distance(letters, other);
    if (distance >= best) continue;
    best = distance;
    nearest = &candidate;
  }
  return nearest == nullptr ? "" : fmt::format("; did you mean '{}'?", *nearest);
}

}  // namespace refran::runner
