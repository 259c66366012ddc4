#include "pickle.h"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>

#include "pickle_operations.h"

namespace refran::marian::pickle {
namespace {

// The state_dict of opus-mt takes 15,000 operations. Each adds a value at most, so that this also
// bounds the memory.
constexpr std::size_t kMaxOperations = 1'000'000;
constexpr unsigned kMaxDepth = 100;

// Little-endian two's complement of up to 8 bytes.
std::int64_t integer_of(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bits |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  const bool is_negative = !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80) != 0;
  if (is_negative && bytes.size() < 8) bits |= ~std::uint64_t{0} << (8 * bytes.size());
  return std::bit_cast<std::int64_t>(bits);
}

class Unpickler {
 public:
  explicit Unpickler(Cursor& cursor) : cursor_(cursor) {}

  Tree run() {
    for (std::size_t count = 0; count < kMaxOperations; ++count) {
      const auto operation = Operation{cursor_.number<std::uint8_t>()};
      if (operation == Operation::stop) {
        tree_.root = pop();
        if (!stack_.empty()) fail("more than one value at its end");
        return std::move(tree_);
      }
      if (!push_literal(operation) && !push_container(operation) && !fill_container(operation) &&
          !use_memo(operation) && !make_object(operation)) {
        refuse(cursor_.file(),
               "found operation 0x{:02x} at byte {} of {}, allowed: what a "
               "state_dict needs; nothing of the file was run",
               static_cast<unsigned>(operation), cursor_.position() - 1, cursor_.what());
      }
    }
    fail(fmt::format("more than {} operations", kMaxOperations));
  }

 private:
  [[noreturn]] void fail(std::string_view found) const {
    refuse(cursor_.file(), "found {} in {} (byte {}), which is damaged or no state_dict", found,
           cursor_.what(), cursor_.position());
  }

  // The stack holds indices of values. Below the last mark nothing may be taken.
  void push(Value value, unsigned depth = 0) {
    if (depth > kMaxDepth) fail(fmt::format("values nested deeper than {}", kMaxDepth));
    stack_.push_back(static_cast<Index>(tree_.values.size()));
    tree_.values.push_back(std::move(value));
    depths_.push_back(depth);
  }
  Index pop() {
    const Index top = peek();
    stack_.pop_back();
    return top;
  }
  Index peek() const {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("an empty stack");
    return stack_.back();
  }
  // What lies above the last mark, which is taken away.
  std::vector<Index> pop_to_mark() {
    if (marks_.empty()) fail("no mark");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Index> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  std::vector<Index> pop_items(std::size_t count) {
    std::vector<Index> items(count);
    for (std::size_t i = count; i > 0; --i) items[i - 1] = pop();
    return items;
  }
  template <class T>
  T& top_as(std::string_view missing) {
    T* const found = std::get_if<T>(&tree_.values[peek()]);
    if (found == nullptr) fail(missing);
    return *found;
  }

  std::string_view text(std::size_t size) { return text_of(cursor_.take(size)); }

  // Numbers and texts that stand in the pickle. False: another operation, as of those below.
  bool push_literal(Operation operation) {
    switch (operation) {
      case Operation::none:
        push(None{});
        return true;
      case Operation::newtrue:
        push(true);
        return true;
      case Operation::newfalse:
        push(false);
        return true;
      case Operation::binint:
        push(std::int64_t{cursor_.number<std::int32_t>()});
        return true;
      case Operation::binint1:
        push(std::int64_t{cursor_.number<std::uint8_t>()});
        return true;
      case Operation::binint2:
        push(std::int64_t{cursor_.number<std::uint16_t>()});
        return true;
      case Operation::long1:
        push_long(text(cursor_.number<std::uint8_t>()));
        return true;
      case Operation::binfloat:
        push_float();
        return true;
      case Operation::short_binstring:
      case Operation::short_binunicode:
        push(text(cursor_.number<std::uint8_t>()));
        return true;
      case Operation::binstring:
      case Operation::binunicode:
        push(text(cursor_.number<std::uint32_t>()));
        return true;
      default:
        return false;
    }
  }

  void push_long(std::string_view bytes) {
    if (bytes.size() > sizeof(std::int64_t)) {
      push(LongInteger{bytes});
    } else {
      push(integer_of(bytes));
    }
  }

  // The one number that is big-endian.
  void push_float() {
    std::uint64_t bits = 0;
    for (const std::byte byte : cursor_.take(sizeof(bits))) {
      bits = bits << 8 | std::to_integer<std::uint64_t>(byte);
    }
    push(std::bit_cast<double>(bits));
  }

  bool push_container(Operation operation) {
    switch (operation) {
      case Operation::mark:
        if (marks_.size() >= kMaxDepth) {
          fail(fmt::format("values nested deeper than {}", kMaxDepth));
        }
        marks_.push_back(stack_.size());
        return true;
      case Operation::empty_list:
        push(List{});
        return true;
      case Operation::empty_dict:
        push(Dict{});
        return true;
      case Operation::empty_tuple:
        push(Tuple{});
        return true;
      case Operation::tuple:
        push_tuple(pop_to_mark());
        return true;
      case Operation::tuple1:
        push_tuple(pop_items(1));
        return true;
      case Operation::tuple2:
        push_tuple(pop_items(2));
        return true;
      case Operation::tuple3:
        push_tuple(pop_items(3));
        return true;
      default:
        return false;
    }
  }

  void push_tuple(std::vector<Index> items) {
    unsigned depth = 0;
    for (const Index item : items) depth = std::max(depth, depths_[item] + 1);
    push(Tuple{std::move(items)}, depth);
  }

  bool fill_container(Operation operation) {
    switch (operation) {
      case Operation::append:
        append(pop_items(1));
        return true;
      case Operation::appends:
        append(pop_to_mark());
        return true;
      case Operation::setitem:
        set_items(pop_items(2));
        return true;
      case Operation::setitems:
        set_items(pop_to_mark());
        return true;
      default:
        return false;
    }
  }

  void append(const std::vector<Index>& items) {
    List& list = top_as<List>("an item for what is no list");
    list.items.insert(list.items.end(), items.begin(), items.end());
    deepen(items);
  }

  void set_items(const std::vector<Index>& items) {
    Dict& dict = top_as<Dict>("an entry for what is no dict");
    if (items.size() % 2 != 0) fail("a key without a value");
    for (std::size_t i = 0; i < items.size(); i += 2) {
      dict.items.emplace_back(items[i], items[i + 1]);
    }
    deepen(items);
  }

  // A list or dict is as deep as what was put into it.
  void deepen(const std::vector<Index>& items) {
    unsigned& depth = depths_[peek()];
    for (const Index item : items) depth = std::max(depth, depths_[item] + 1);
    if (depth > kMaxDepth) fail(fmt::format("values nested deeper than {}", kMaxDepth));
  }

  bool use_memo(Operation operation) {
    switch (operation) {
      case Operation::binput:
        memo_[cursor_.number<std::uint8_t>()] = peek();
        return true;
      case Operation::long_binput:
        memo_[cursor_.number<std::uint32_t>()] = peek();
        return true;
      case Operation::memoize:
        memo_[static_cast<Index>(memo_.size())] = peek();
        return true;
      case Operation::binget:
        push_from_memo(cursor_.number<std::uint8_t>());
        return true;
      case Operation::long_binget:
        push_from_memo(cursor_.number<std::uint32_t>());
        return true;
      default:
        return false;
    }
  }

  void push_from_memo(std::uint32_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) fail(fmt::format("memo {} before it was stored", key));
    stack_.push_back(found->second);
  }

  bool make_object(Operation operation) {
    switch (operation) {
      case Operation::proto:
        check_protocol(cursor_.number<std::uint8_t>());
        return true;
      case Operation::frame:
        cursor_.number<std::uint64_t>();
        return true;  // only a hint
      case Operation::pop:
        pop();
        return true;
      case Operation::global: {
        const std::string_view module = cursor_.line();
        push_global(module, cursor_.line());
        return true;
      }
      case Operation::stack_global:
        push_stack_global();
        return true;
      case Operation::binpersid: {
        const Index id = pop();
        push(PersistentId{id}, depths_[id] + 1);
        return true;
      }
      case Operation::reduce:
        call();
        return true;
      case Operation::build:
        build();
        return true;
      default:
        return false;
    }
  }

  void check_protocol(unsigned protocol) const {
    if (protocol < 2 || protocol > 5) fail(fmt::format("pickle protocol {}", protocol));
  }

  void push_global(std::string_view module, std::string_view name) {
    const std::string full = std::string(module) + "." + std::string(name);
    const auto* const found = std::find_if(std::begin(kGlobals), std::end(kGlobals),
                                           [&](const auto& known) { return known.name == full; });
    if (found == std::end(kGlobals)) {
      refuse(cursor_.file(),
             "found the global {} in {}, allowed: collections.OrderedDict, "
             "torch._utils._rebuild_tensor_v2, torch._utils._rebuild_parameter and "
             "torch's storages; nothing of the file was run",
             in_quotes(full), cursor_.what());
    }
    push(found->global);
  }

  void push_stack_global() {
    const std::vector<Index> names = pop_items(2);
    const auto* const module = tree_.get<std::string_view>(names[0]);
    const auto* const name = tree_.get<std::string_view>(names[1]);
    if (module == nullptr || name == nullptr) fail("a global whose name is no text");
    push_global(*module, *name);
  }

  void call() {
    const std::vector<Index> parts = pop_items(2);
    const auto* const function = tree_.get<Global>(parts[0]);
    const auto* const arguments = tree_.get<Tuple>(parts[1]);
    if (function == nullptr || function->kind == Global::Kind::storage || arguments == nullptr) {
      fail("a call of what is no function");
    }
    if (function->kind != Global::Kind::ordered_dict) {
      push(Call{function->kind, parts[1]}, depths_[parts[1]] + 1);
      return;
    }
    if (!arguments->items.empty()) fail("an OrderedDict made of arguments");
    push(Dict{.items = {}, .is_ordered = true});
  }

  // Attributes of an object. A state_dict has one, _metadata, which says nothing of the tensors.
  void build() {
    pop();
    if (!top_as<Dict>("attributes of what is no OrderedDict").is_ordered) {
      fail("attributes of what is no OrderedDict");
    }
  }

  Cursor& cursor_;
  Tree tree_;
  std::vector<unsigned> depths_;  // of each value: how deep the values in it are nested
  std::vector<Index> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::unordered_map<std::uint32_t, Index> memo_;
};

}  // namespace

Tree read(Cursor& cursor) { return Unpickler(cursor).run(); }

}  // namespace refran::marian::pickle
