// Builds a Value from the events of a YAML parser, within bounds: no duplicate keys, no deep
// nesting, no alias bombs, no tags' types behind the back of the declared ones.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <refran/value.h>
#include "diagnostics.h"
#include "yaml_text.h"

namespace refran::runner {

// Positions are bytes of the text. Duplicate keys are added to the diagnostics, the first one is
// kept; all else that is refused is thrown as a ConfigError that holds them too.
class YamlTree {
 public:
  using Anchor = std::size_t;
  static constexpr Anchor kNoAnchor = 0;

  // `flow_only`: lists and maps are allowed in brackets alone.
  YamlTree(YamlText& text, Diagnostics& diagnostics, bool flow_only)
      : text_(text), diagnostics_(diagnostics), flow_only_(flow_only) {}

  void begin_document(std::size_t position);
  void null(std::size_t position, Anchor anchor);
  void alias(std::size_t position, Anchor anchor);
  void scalar(std::size_t position, bool is_plain, Anchor anchor, const std::string& text);
  // A list or map, by its kind; what follows until `close` is inside.
  void open(std::size_t position, Value::Kind kind, bool is_flow, Anchor anchor);
  void close();

  Value take_root() { return std::move(root_); }

  // "list that begins at x.yaml:3:8": the innermost collection that is open.
  std::string open_in_words() const;

  [[noreturn]] void refuse(std::size_t position, std::string_view text);

 private:
  // How much a value holds: the values in it, and the levels of lists and maps.
  struct Extent {
    std::size_t values = 1;
    std::size_t levels = 0;
  };
  struct Anchored {
    Value value;
    Extent extent;
  };
  // A list or map that is being read; of a map, the key whose value comes next.
  struct Open {
    Value value;
    Anchor anchor = kNoAnchor;
    bool is_flow = false;
    Extent extent;
    std::optional<std::string> key;
    std::size_t key_position = 0;
    Origin key_origin;
    bool is_duplicate = false;
    std::unordered_map<std::string, Origin> keys;
  };

  bool expects_key() const;
  std::string path() const;  // of the key or item that is being read
  void check_indentation(std::size_t position);
  void check_key(std::size_t position, Value::Kind kind, bool is_flow);
  void add_key(std::string key, std::size_t position, bool is_plain);
  void add(Value&& value, const Extent& extent, Anchor anchor);
  void place(Value&& value, const Extent& extent);

  YamlText& text_;
  Diagnostics& diagnostics_;
  bool flow_only_;
  bool has_document_ = false;
  Value root_;
  std::vector<Open> open_;
  std::unordered_map<Anchor, Anchored> anchors_;
  std::size_t aliased_values_ = 0;
};

// What is said of a tab where only spaces indent.
inline constexpr std::string_view kTabText =
    "found a tab in the indentation, allowed: spaces; indent every level by two spaces";

}  // namespace refran::runner
