// Puts a value together event by event, and refuses what is out of bounds.
#include "yaml_tree.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "key_path.h"
#include "yaml_scalar.h"

namespace refran::runner {

namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostAliasedValues = 100'000;
constexpr std::size_t kBytesPerValue = 256;  // a longer text counts as several values

}  // namespace

void YamlTree::refuse(std::size_t position, std::string_view text) {
  diagnostics_.add(text_.origin_at(position), "", text);
  diagnostics_.throw_if_any();
  throw ConfigError(std::string(text));
}

void YamlTree::begin_document(std::size_t position) {
  if (has_document_) {
    const bool is_marked = text_.text().substr(position).starts_with("---");
    refuse(position, is_marked ? "found a second document, allowed: one in a file"
                               : "found more text behind the end of the value; check the "
                                 "indentation and the quotes");
  }
  has_document_ = true;
}

bool YamlTree::expects_key() const {
  return !open_.empty() && open_.back().value.kind == Value::Kind::map && !open_.back().key;
}

std::string YamlTree::open_in_words() const {
  if (open_.empty()) return "value";
  const bool is_list = open_.back().value.kind == Value::Kind::list;
  return fmt::format("{} that begins at {}", is_list ? "list" : "map",
                     open_.back().value.origin.to_string());
}

// The position of a null that is not written is that of whatever comes next, so it takes the place
// of its key or list instead. Where even the ':' is missing, it is that of the key.
void YamlTree::null(std::size_t position, Anchor anchor) {
  if (expects_key()) refuse(position, "found no key before ':', allowed: 'key: value'");
  if (!open_.empty() && !open_.back().is_flow && open_.back().key &&
      position == open_.back().key_position) {
    refuse(position, fmt::format("found {} without ':' behind it, allowed: 'key: value'",
                                 in_quotes(*open_.back().key)));
  }
  Value null;
  if (open_.empty()) {
    null.origin = text_.origin_at(position);
  } else {
    null.origin = open_.back().key ? open_.back().key_origin : open_.back().value.origin;
  }
  add(std::move(null), {}, anchor);
}

void YamlTree::alias(std::size_t position, Anchor anchor) {
  if (expects_key()) refuse(position, "found an alias as a key, allowed: a text");
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) refuse(position, "found an alias of a value inside that value");
  const Anchored& anchored = found->second;
  aliased_values_ += anchored.extent.values;
  if (aliased_values_ > kMostAliasedValues) {
    refuse(position,
           fmt::format("found aliases that expand to more than {} values", kMostAliasedValues));
  }
  if (open_.size() + anchored.extent.levels > kDeepest) {
    refuse(position, fmt::format("found values nested deeper than {} levels", kDeepest));
  }
  add(Value(anchored.value), anchored.extent, kNoAnchor);
}

void YamlTree::scalar(std::size_t position, bool is_plain, Anchor anchor, const std::string& text) {
  check_indentation(position);
  if (expects_key()) {
    if (anchor != kNoAnchor) refuse(position, "found an anchor on a key, allowed: on values");
    add_key(text, position, is_plain);
    return;
  }
  Value value = is_plain ? plain_scalar(text) : Value::string(text);
  value.origin = text_.origin_at(position);
  add(std::move(value), {1 + text.size() / kBytesPerValue, 0}, anchor);
}

void YamlTree::open(std::size_t position, Value::Kind kind, bool is_flow, Anchor anchor) {
  check_indentation(position);
  check_key(position, kind, is_flow);
  if (open_.size() >= kDeepest) {
    refuse(position, fmt::format("found values nested deeper than {} levels", kDeepest));
  }
  if (flow_only_ && !is_flow) {
    refuse(position, fmt::format("found {} without brackets, allowed: one value, [a, list] or "
                                 "{{a: map}}; quote a text that contains ': ' or begins with '- '",
                                 name_of(kind)));
  }
  Open collection;
  collection.value.kind = kind;
  collection.value.origin = text_.origin_at(position);
  collection.is_flow = is_flow;
  collection.anchor = anchor;
  open_.push_back(std::move(collection));
}

void YamlTree::close() {
  Open closed = std::move(open_.back());
  open_.pop_back();
  add(std::move(closed.value), {closed.extent.values, closed.extent.levels + 1}, closed.anchor);
}

// Lists and maps are no keys. A block map that begins with a bracket has one as its first key, or
// so yaml-cpp thinks where the bracket is never closed.
void YamlTree::check_key(std::size_t position, Value::Kind kind, bool is_flow) {
  const std::string_view rest = text_.text().substr(position);
  const bool has_bracket = rest.starts_with('[') || rest.starts_with('{');
  const bool begins_with_key = kind == Value::Kind::map && !is_flow && has_bracket;
  if (!expects_key() && !begins_with_key) return;
  if (has_bracket && !text_.is_closed(position)) {
    refuse(position, fmt::format("found no '{}' that closes this '{}'",
                                 rest.front() == '[' ? ']' : '}', rest.front()));
  }
  refuse(position,
         fmt::format("found {} as a key, allowed: a text",
                     name_of(begins_with_key && rest.front() == '[' ? Value::Kind::list : kind)));
}

void YamlTree::check_indentation(std::size_t position) {
  const bool is_block = open_.empty() || !open_.back().is_flow;
  if (is_block && text_.is_indented_by_tab(position)) refuse(position, kTabText);
}

void YamlTree::add(Value&& value, const Extent& extent, Anchor anchor) {
  if (anchor != kNoAnchor) anchors_.insert_or_assign(anchor, Anchored{value, extent});
  if (open_.empty()) {
    root_ = std::move(value);
  } else {
    place(std::move(value), extent);
  }
}

void YamlTree::place(Value&& value, const Extent& extent) {
  Open& parent = open_.back();
  parent.extent.values += extent.values;
  parent.extent.levels = std::max(parent.extent.levels, extent.levels);
  if (parent.value.kind == Value::Kind::list) {
    parent.value.items.push_back(std::move(value));
    return;
  }
  if (!parent.is_duplicate) {
    parent.value.entries.push_back({std::move(*parent.key), std::move(value), parent.key_origin});
  }
  parent.key.reset();
}

void YamlTree::add_key(std::string key, std::size_t position, bool is_plain) {
  if (is_plain && key == "<<") {
    refuse(position, "found a merge key ('<<'), allowed: none; write the keys out");
  }
  Open& map = open_.back();
  const Origin origin = text_.origin_at(position);
  const auto [first, is_new] = map.keys.emplace(key, origin);
  map.is_duplicate = !is_new;
  map.key_position = position;
  map.key_origin = origin;
  map.key = std::move(key);
  if (is_new) return;
  const std::string place = first->second.to_string();
  diagnostics_.add(origin, path(),
                   fmt::format("found a second time, allowed: once; the first is at {}", place));
}

std::string YamlTree::path() const {
  std::string path;
  for (const Open& open : open_) {
    if (open.value.kind == Value::Kind::list) {
      path = item(path, open.value.items.size());
    } else if (open.key) {
      path = below(path, *open.key);
    }
  }
  return path;
}

}  // namespace refran::runner
