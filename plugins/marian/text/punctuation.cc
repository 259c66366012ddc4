#include "punctuation.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <utility>

#include <utf8proc.h>

#include "unicode.h"

namespace refran::marian {
namespace {

constexpr std::string_view kNoBreakSpace = "\u00A0";

using Substitution = std::pair<std::string_view, std::string_view>;

// Every `from`, left to right, none of them within another.
void replace(std::string& text, std::string_view from, std::string_view to) {
  std::size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string replaced;
  std::size_t done = 0;
  for (; at != std::string::npos; at = text.find(from, done)) {
    replaced.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  text = std::move(replaced.append(text, done));
}

void replace(std::string& text, std::span<const Substitution> substitutions) {
  for (const auto& [from, to] : substitutions) replace(text, from, to);
}

void squeeze_spaces(std::string& text) {
  const auto both_spaces = [](char left, char right) { return left == ' ' && right == ' '; };
  text.erase(std::unique(text.begin(), text.end(), both_spaces), text.end());
}

// Decimal digits of any script, as \d of Python's regular expressions.
bool is_digit(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point)) == UTF8PROC_CATEGORY_ND;
}

bool begins_with_digit(std::string_view text) {
  return !text.empty() && is_digit(first_code_point(text).value);
}

bool ends_with_digit(std::string_view text) {
  constexpr std::size_t kMostBytes = 4;
  for (std::size_t bytes = 1; bytes <= std::min(text.size(), kMostBytes); ++bytes) {
    const CodePoint last = first_code_point(text.substr(text.size() - bytes));
    if (!last.malformed && last.bytes == bytes) return is_digit(last.value);
  }
  return false;
}

// ") ." becomes ").".
void close_up_after_brackets(std::string& text) {
  std::string closed;
  for (std::size_t at = 0; at < text.size(); ++at) {
    closed += text[at];
    const bool gap = at + 2 < text.size() && text[at] == ')' && text[at + 1] == ' ';
    if (gap && std::string_view(".!:?;,").find(text[at + 2]) != std::string_view::npos) ++at;
  }
  text = std::move(closed);
}

// "5 %" becomes "5%".
void close_up_percent(std::string& text) {
  std::string closed;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool gap = text.compare(at, 2, " %") == 0;
    if (!gap || !ends_with_digit(std::string_view(text).substr(0, at))) closed += text[at];
  }
  text = std::move(closed);
}

void normalize_spaces(std::string& text) {
  replace(text, "\r", "");
  replace(text, "(", " (");
  replace(text, ")", ") ");
  squeeze_spaces(text);
  close_up_after_brackets(text);
  replace(text, "( ", "(");
  replace(text, " )", ")");
  close_up_percent(text);
  replace(text, " :", ":");
  replace(text, " ;", ";");
}

void normalize_quotes_and_dashes(std::string& text) {
  // Moses treats the apostrophe between two letters apart, and comes to the same.
  constexpr std::array<Substitution, 7> kDashes = {{{"`", "'"},
                                                    {"''", " \" "},
                                                    {"„", "\""},
                                                    {"“", "\""},
                                                    {"”", "\""},
                                                    {"–", "-"},
                                                    {"—", " - "}}};
  replace(text, kDashes);
  squeeze_spaces(text);
  constexpr std::array<Substitution, 6> kQuotes = {
      {{"´", "'"}, {"‘", "'"}, {"‚", "'"}, {"’", "'"}, {"''", "\""}, {"…", "..."}}};
  replace(text, kQuotes);
  constexpr std::array<Substitution, 6> kGuillemets = {{{"\u00A0«\u00A0", "\""},
                                                        {"«\u00A0", "\""},
                                                        {"«", "\""},
                                                        {"\u00A0»\u00A0", "\""},
                                                        {"\u00A0»", "\""},
                                                        {"»", "\""}}};
  replace(text, kGuillemets);
}

void normalize_no_break_spaces(std::string& text) {
  constexpr std::array<Substitution, 9> kSubstitutions = {{{"\u00A0%", "%"},
                                                           {"nº\u00A0", "nº "},
                                                           {"\u00A0:", ":"},
                                                           {"\u00A0ºC", " ºC"},
                                                           {"\u00A0cm", " cm"},
                                                           {"\u00A0?", "?"},
                                                           {"\u00A0!", "!"},
                                                           {"\u00A0;", ";"},
                                                           {",\u00A0", ", "}}};
  replace(text, kSubstitutions);
  squeeze_spaces(text);
}

// A quotation mark goes behind the commas and full stops that follow it.
void move_quotes_behind_commas(std::string& text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_not_of(",.", at + 1), text.size());
    std::rotate(text.begin() + static_cast<std::ptrdiff_t>(at),
                text.begin() + static_cast<std::ptrdiff_t>(at + 1),
                text.begin() + static_cast<std::ptrdiff_t>(end));
    at = end;
  }
}

// What follows a quotation mark up to and with its first character that is no white space, "<"
// excepted; 0 where nothing does, or "<" at once.
std::size_t bytes_of_continuation(std::string_view after_quote) {
  std::size_t bytes = 0;
  while (bytes < after_quote.size()) {
    const CodePoint point = first_code_point(after_quote.substr(bytes));
    if (point.value == '<') break;
    bytes += point.bytes;
    if (!is_space(point.value)) break;
  }
  return bytes;
}

// A quotation mark goes before a comma, and before full stops unless it ends the text.
void move_quotes_before_commas(std::string& text) {
  replace(text, ",\"", "\",");
  std::string moved;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t dots = std::min(text.find_first_not_of('.', at), text.size()) - at;
    const std::size_t quote = at + dots;
    const bool has_quote = dots > 0 && quote < text.size() && text[quote] == '"';
    const std::size_t rest =
        has_quote ? bytes_of_continuation(std::string_view(text).substr(quote + 1)) : 0;
    if (rest > 0) {
      moved.append(1, '"').append(dots, '.').append(text, quote + 1, rest);
      at = quote + 1 + rest;
    } else {
      const std::size_t kept = std::max<std::size_t>(dots, 1);
      moved.append(text, at, kept);
      at += kept;
    }
  }
  text = std::move(moved);
}

// A no-break space between two digits becomes `mark`. A digit that closed one number opens no
// other: of "1 2 3" only the first gap is filled, as a regular expression does it.
void mark_thousands(std::string& text, char mark) {
  std::string marked;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = text.find(kNoBreakSpace, at)) != std::string::npos;) {
    const std::string_view before = std::string_view(text).substr(done, at - done);
    const std::string_view after = std::string_view(text).substr(at + kNoBreakSpace.size());
    at += kNoBreakSpace.size();
    if (!ends_with_digit(before) || !begins_with_digit(after)) continue;
    const std::size_t digit = first_code_point(after).bytes;
    marked.append(before).append(1, mark).append(after.substr(0, digit));
    done = at += digit;
  }
  text = std::move(marked.append(text, done));
}

bool is_one_of(std::string_view language, std::initializer_list<std::string_view> languages) {
  return std::ranges::find(languages, language) != languages.end();
}

}  // namespace

std::string normalize_punctuation(std::string_view text, std::string_view language) {
  std::string normal(text);
  normalize_spaces(normal);
  normalize_quotes_and_dashes(normal);
  normalize_no_break_spaces(normal);
  if (language == "en") move_quotes_behind_commas(normal);
  if (is_one_of(language, {"de", "es", "fr"})) move_quotes_before_commas(normal);
  mark_thousands(normal, is_one_of(language, {"de", "es", "cz", "cs", "fr"}) ? ',' : '.');
  return std::string(strip(normal));
}

}  // namespace refran::marian
