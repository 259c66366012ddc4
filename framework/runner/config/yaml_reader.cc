// Reads YAML by yaml-cpp's events rather than its nodes: those show duplicate keys, let depth and
// aliases be bounded before anything is built, and leave the meaning of scalars to us.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "yaml.h"
#include "yaml_text.h"
#include "yaml_tree.h"

namespace refran::runner {

namespace {

constexpr std::string_view kTagText =
    "found a tag ('!'), allowed: none, since fields declare their types; quote a text that begins "
    "with '!'";

constexpr std::string_view kUnclosedQuoteText = "found a text whose closing quote is missing";

std::size_t position_of(const YAML::Mark& mark) {
  return static_cast<std::size_t>(std::max(mark.pos, 0));
}

// Hands yaml-cpp's events on.
class Events : public YAML::EventHandler {
 public:
  Events(const YamlText& text, YamlTree& tree) : text_(text), tree_(tree) {}

  void OnDocumentStart(const YAML::Mark& mark) override { tree_.begin_document(position_of(mark)); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    tree_.null(position_of(mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    tree_.alias(position_of(mark), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    check_closed(mark);
    tree_.scalar(position_of(mark), tag == kPlain, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    check_tag(mark, tag);
    tree_.open(position_of(mark), Value::Kind::list, style == YAML::EmitterStyle::Flow, anchor);
  }
  void OnSequenceEnd() override { tree_.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    check_tag(mark, tag);
    tree_.open(position_of(mark), Value::Kind::map, style == YAML::EmitterStyle::Flow, anchor);
  }
  void OnMapEnd() override { tree_.close(); }

 private:
  // What yaml-cpp gives as the tag of a node without one.
  static constexpr std::string_view kPlain = "?";
  static constexpr std::string_view kQuoted = "!";

  // The text of a node, behind its anchor.
  std::string_view text_at(const YAML::Mark& mark) const {
    std::string_view rest = text_.text().substr(position_of(mark));
    if (rest.starts_with('&')) {
      rest.remove_prefix(std::min(rest.find_first_of(" \t\r\n"), rest.size()));
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    }
    return rest;
  }

  // A tag written as `!` alone looks like that of a quoted scalar; the text tells them apart.
  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    const bool has_none = tag == kPlain || tag == kQuoted;
    if (!has_none || text_at(mark).starts_with('!')) tree_.refuse(position_of(mark), kTagText);
  }

  // yaml-cpp takes the end of the file for a closing quote.
  void check_closed(const YAML::Mark& mark) {
    const std::string_view text = text_at(mark);
    if (!text.starts_with('"') && !text.starts_with('\'')) return;
    const char quote = text.front();
    for (std::size_t i = 1; i < text.size(); ++i) {
      const bool is_escape = quote == '"' ? text[i] == '\\' : text.substr(i).starts_with("''");
      if (is_escape) {
        ++i;
      } else if (text[i] == quote) {
        return;
      }
    }
    tree_.refuse(position_of(mark), kUnclosedQuoteText);
  }

  const YamlText& text_;
  YamlTree& tree_;
};

// `message` begins a message of yaml-cpp; `text` is what a user is told.
struct SyntaxWords {
  std::string_view message;
  std::string_view text;
};

constexpr std::string_view kDirectiveText =
    "found a directive ('%'), allowed: none; quote a text that begins with '%'";
constexpr std::string_view kAnchorText =
    "found an anchor ('&') or alias ('*') without a proper name; quote a text that begins so";
constexpr std::string_view kCodeText =
    "found an escape (\\x, \\u or \\U) that stands for no character";

const std::array kSyntaxWords{
    SyntaxWords{YAML::ErrorMsg::FLOW_END, "found a closing bracket that none opened"},
    SyntaxWords{
        YAML::ErrorMsg::END_OF_MAP,
        "found something else among the keys of a map, allowed: 'key: value', indented alike"},
    SyntaxWords{
        YAML::ErrorMsg::END_OF_SEQ,
        "found something else among the items of a list, allowed: '- item', indented alike"},
    SyntaxWords{YAML::ErrorMsg::MAP_VALUE,
                "found ': ' where no value can follow; check the indentation, and quote a text "
                "that contains ': '"},
    SyntaxWords{YAML::ErrorMsg::MAP_KEY,
                "found '? ' where no key can stand; quote a text that begins so"},
    SyntaxWords{
        YAML::ErrorMsg::BLOCK_ENTRY,
        "found '- ' where no list item can stand; check the indentation, or write [a, list]"},
    SyntaxWords{YAML::ErrorMsg::EOF_IN_SCALAR, kUnclosedQuoteText},
    SyntaxWords{YAML::ErrorMsg::DOC_IN_SCALAR,
                "found '---' or '...' inside a quoted text; indent it"},
    SyntaxWords{YAML::ErrorMsg::CHAR_IN_SCALAR,
                "found a character that ends this text; quote the text"},
    SyntaxWords{YAML::ErrorMsg::INVALID_ESCAPE,
                "found an unknown escape in double quotes; write '\\\\' for a backslash, or use "
                "single quotes"},
    SyntaxWords{YAML::ErrorMsg::INVALID_HEX, kCodeText},
    SyntaxWords{YAML::ErrorMsg::INVALID_UNICODE, kCodeText},
    SyntaxWords{YAML::ErrorMsg::TAB_IN_INDENTATION, kTabText},
    SyntaxWords{YAML::ErrorMsg::UNKNOWN_ANCHOR,
                "found an alias of an anchor that is nowhere before it"},
    SyntaxWords{YAML::ErrorMsg::ALIAS_NOT_FOUND, kAnchorText},
    SyntaxWords{YAML::ErrorMsg::ANCHOR_NOT_FOUND, kAnchorText},
    SyntaxWords{YAML::ErrorMsg::CHAR_IN_ALIAS, kAnchorText},
    SyntaxWords{YAML::ErrorMsg::CHAR_IN_ANCHOR, kAnchorText},
    SyntaxWords{YAML::ErrorMsg::MULTIPLE_ANCHORS, kAnchorText},
    SyntaxWords{YAML::ErrorMsg::ZERO_INDENT_IN_BLOCK,
                "found '|0' or '>0', allowed: '|', '>', '|-' or '>-'"},
    SyntaxWords{YAML::ErrorMsg::CHAR_IN_BLOCK,
                "found more behind '|' or '>', allowed: '|', '>', '|-' or '>-'"},
    SyntaxWords{YAML::ErrorMsg::CHAR_IN_TAG_HANDLE, kTagText},
    SyntaxWords{YAML::ErrorMsg::TAG_WITH_NO_SUFFIX, kTagText},
    SyntaxWords{YAML::ErrorMsg::END_OF_VERBATIM_TAG, kTagText},
    SyntaxWords{YAML::ErrorMsg::MULTIPLE_TAGS, kTagText},
    SyntaxWords{YAML::ErrorMsg::YAML_DIRECTIVE_ARGS, kDirectiveText},
    SyntaxWords{YAML::ErrorMsg::YAML_VERSION, kDirectiveText},
    SyntaxWords{YAML::ErrorMsg::YAML_MAJOR_VERSION, kDirectiveText},
    SyntaxWords{YAML::ErrorMsg::REPEATED_YAML_DIRECTIVE, kDirectiveText},
    SyntaxWords{YAML::ErrorMsg::TAG_DIRECTIVE_ARGS, kDirectiveText},
    SyntaxWords{YAML::ErrorMsg::REPEATED_TAG_DIRECTIVE, kDirectiveText},
};

// Says in our words what yaml-cpp stumbled over.
[[noreturn]] void refuse_syntax(const YAML::ParserException& error, const YamlText& text,
                                YamlTree& tree) {
  const std::size_t position = std::min(position_of(error.mark), text.text().size());
  if (text.has_tab_in_indentation(position)) tree.refuse(position, kTabText);
  if (error.msg == YAML::ErrorMsg::UNKNOWN_TOKEN) {
    tree.refuse(position, fmt::format("found {}, which cannot begin a value; quote the text",
                                      in_quotes(text.text().substr(position, 1))));
  }
  if (error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW ||
      error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW) {
    tree.refuse(position, fmt::format("found no end of the {}; close its bracket, and put commas "
                                      "between its items",
                                      tree.open_in_words()));
  }
  const auto* const words =
      std::find_if(kSyntaxWords.begin(), kSyntaxWords.end(),
                   [&](const SyntaxWords& entry) { return error.msg.starts_with(entry.message); });
  tree.refuse(position, words == kSyntaxWords.end() ? "found text that is no YAML" : words->text);
}

Value parse(YamlText& text, Diagnostics& diagnostics, bool flow_only) {
  std::istringstream stream{std::string(text.text())};
  YamlTree tree(text, diagnostics, flow_only);
  Events events(text, tree);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::ParserException& error) {
    refuse_syntax(error, text, tree);
  }
  return tree.take_root();
}

// The text inside single quotes that hold the whole, as an override can have it: YAML would fold
// its line breaks and refuse its control characters.
std::optional<std::string> single_quoted(std::string_view text) {
  if (text.size() < 2 || !text.starts_with('\'') || !text.ends_with('\'')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::string content;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'' && (++i == text.size() || text[i] != '\'')) return std::nullopt;
    content += text[i];
  }
  return content;
}

}  // namespace

Value parse_yaml(std::string_view text, const std::string& source, Diagnostics& diagnostics) {
  YamlText checked(text, source, YamlText::Kind::file);
  Value root = parse(checked, diagnostics, false);
  if (root.kind == Value::Kind::null) {
    diagnostics.add({std::make_shared<const std::string>(source), 0, 0}, "",
                    "found an empty file, allowed: a map that begins with 'experiment: NAME'");
    diagnostics.throw_if_any();
  }
  return root;
}

Value parse_yaml(std::string_view text, const std::string& source) {
  Diagnostics diagnostics;
  Value root = parse_yaml(text, source, diagnostics);
  diagnostics.throw_if_any();
  return root;
}

Value read_yaml_file(const std::filesystem::path& file, Diagnostics& diagnostics) {
  const auto refuse = [&](const std::string& text) {
    diagnostics.add({std::make_shared<const std::string>(file.string()), 0, 0}, "", text);
    diagnostics.throw_if_any();
  };
  std::error_code error;
  if (!std::filesystem::exists(file, error)) refuse("found no such file");
  if (std::filesystem::is_directory(file, error)) refuse("found a folder, allowed: a YAML file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(fmt::format("found a file that cannot be read: {}", std::strerror(errno)));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_yaml(text, file.string(), diagnostics);
}

Value read_yaml_file(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  Value root = read_yaml_file(file, diagnostics);
  diagnostics.throw_if_any();
  return root;
}

Value parse_yaml_value(std::string_view text, const std::string& source) {
  if (const std::optional<std::string> content = single_quoted(text)) {
    Value value = Value::string(*content);
    value.origin = YamlText(text, source, YamlText::Kind::literal).origin_at(0);
    return value;
  }
  YamlText checked(text, source, YamlText::Kind::argument);
  Diagnostics diagnostics;
  Value value = parse(checked, diagnostics, true);
  diagnostics.throw_if_any();
  if (!value.origin.source) value.origin = checked.origin_at(0);
  return value;
}

}  // namespace refran::runner
