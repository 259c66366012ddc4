#include "safetensors.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace refran::marian {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxHeader = 100'000'000;  // of the format's own reader
constexpr std::size_t kMaxRank = 64;

constexpr std::array<std::pair<std::string_view, StoredType>, 10> kStoredTypes{{
    {"F32", StoredType::float32},
    {"F16", StoredType::float16},
    {"BF16", StoredType::bfloat16},
    {"F64", StoredType::float64},
    {"I8", StoredType::int8},
    {"I16", StoredType::int16},
    {"I32", StoredType::int32},
    {"I64", StoredType::int64},
    {"U8", StoredType::uint8},
    {"BOOL", StoredType::boolean},
}};

// Takes the header's entries one by one while it is parsed, so that the JSON of no more than one is
// kept, and what nlohmann-json lets pass (keys given twice) is seen.
class HeaderReader {
 public:
  HeaderReader(const FileBytes& file, std::span<const std::byte> data) : file_(file), data_(data) {}

  std::vector<StoredTensor> read(std::string_view header) {
    const auto callback = [this](int depth, Json::parse_event_t event, Json& parsed) {
      return on_event(depth, event, parsed);
    };
    try {
      [[maybe_unused]] const Json rest = Json::parse(header, callback);
    } catch (const Json::parse_error& error) {
      refuse(file_, "found a header that is not valid JSON at byte {}", error.byte);
    } catch (const Json::exception&) {
      refuse(file_, "found a header with a number that is out of range");
    }
    return std::move(tensors_);
  }

 private:
  // False throws the parsed value away. The header's map has depth 0, an entry's keys depth 2.
  bool on_event(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    const bool is_metadata = name_ == "__metadata__";
    if (depth == 1 && event == Event::key) name_ = parsed.get<std::string>();
    if (depth == 1 && event == Event::object_start) fields_ = 0;
    if (depth == 2 && event == Event::key && ++fields_ > 3 && !is_metadata) refuse_keys();
    if (depth == 2 && event == Event::array_start) rank_ = 0;
    if (depth == 3 && event == Event::value && ++rank_ > kMaxRank) {
      refuse_entry(fmt::format("a list of more than {} numbers", kMaxRank));
    }
    if ((depth == 1 && (event == Event::value || event == Event::array_start)) ||
        (depth >= 2 && event == Event::object_start) ||
        (depth >= 3 && event == Event::array_start)) {
      refuse_entry("a value of another kind");
    }
    if (depth == 2 && event == Event::value && is_metadata) {
      if (!parsed.is_string()) refuse_entry("a value that is no text");
      return false;  // it says nothing of the tensors
    }
    if (depth == 1 && event == Event::object_end) {
      if (!is_metadata) add(parsed);
      return false;
    }
    return true;
  }

  [[noreturn]] void refuse_entry(std::string_view found) const {
    refuse(file_, "found {} in the header's entry {}, allowed: {}", found, in_quotes(name_),
           name_ == "__metadata__" ? "a map of texts" : "a map of dtype, shape and data_offsets");
  }
  [[noreturn]] void refuse_keys() const { refuse_entry("missing, other or repeated keys"); }

  void add(const Json& entry) {
    if (fields_ != 3 || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
        !entry.contains("data_offsets")) {
      refuse_keys();
    }
    StoredTensor tensor;
    tensor.name = name_;
    tensor.type = type_of(entry["dtype"]);
    tensor.shape = numbers_of(entry["shape"], "shape");
    const std::vector<std::size_t> range = numbers_of(entry["data_offsets"], "data_offsets");
    if (range.size() != 2 || range[0] > range[1] || range[1] > data_.size()) {
      refuse(file_,
             "found data_offsets {} of tensor {}, allowed: [begin, end] within the {} bytes "
             "that follow the header",
             shape_text(range), in_quotes(name_), data_.size());
    }
    tensor.bytes = data_.subspan(range[0], range[1] - range[0]);
    const std::optional<std::size_t> elements = checked_elements(tensor.shape);
    if (!elements || *elements * size_of(tensor.type) != tensor.bytes.size()) {
      refuse(file_, "found {} bytes for tensor {}, which do not fit shape {} of {}",
             tensor.bytes.size(), in_quotes(name_), shape_text(tensor.shape), name_of(tensor.type));
    }
    tensor.strides = row_major_strides(tensor.shape);
    tensors_.push_back(std::move(tensor));
  }

  StoredType type_of(const Json& dtype) const {
    const std::string text = dtype.is_string() ? dtype.get<std::string>() : dtype.dump();
    const auto found = std::find_if(kStoredTypes.begin(), kStoredTypes.end(),
                                    [&](const auto& t) { return t.first == text; });
    if (found == kStoredTypes.end()) {
      refuse(file_,
             "found dtype {} of tensor {}, allowed: F32, F16, BF16, F64, I8, I16, I32, I64, "
             "U8, BOOL",
             in_quotes(text), in_quotes(name_));
    }
    return found->second;
  }

  std::vector<std::size_t> numbers_of(const Json& list, std::string_view field) const {
    std::vector<std::size_t> numbers;
    const auto is_count = [](const Json& value) { return value.is_number_unsigned(); };
    if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_count)) {
      refuse(file_, "found {} {} of tensor {}, allowed: a list of whole numbers from 0", field,
             list.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 100),
             in_quotes(name_));
    }
    for (const Json& value : list) numbers.push_back(value.get<std::size_t>());
    return numbers;
  }

  const FileBytes& file_;
  std::span<const std::byte> data_;
  std::vector<StoredTensor> tensors_;
  std::string name_;        // of the entry that is being parsed
  std::size_t fields_ = 0;  // keys it had so far, repeated ones counted
  std::size_t rank_ = 0;    // values of its list so far
};

// One after another without a hole, an overlap, or a rest.
void check_cover(const FileBytes& file, const std::vector<StoredTensor>& tensors,
                 std::span<const std::byte> data) {
  std::vector<const StoredTensor*> order;
  for (const StoredTensor& tensor : tensors) order.push_back(&tensor);
  const auto range = [&](const StoredTensor* tensor) {
    const auto begin = static_cast<std::size_t>(tensor->bytes.data() - data.data());
    return std::pair(begin, begin + tensor->bytes.size());
  };
  std::sort(order.begin(), order.end(),
            [&](const auto* a, const auto* b) { return range(a) < range(b); });
  std::size_t end = 0;
  for (const StoredTensor* tensor : order) {
    if (range(tensor).first != end) {
      refuse(file,
             "found that tensor {} begins at byte {} of the data, expected {}: tensors follow "
             "each other without a hole or an overlap",
             in_quotes(tensor->name), range(tensor).first, end);
    }
    end = range(tensor).second;
  }
  if (end != data.size()) {
    refuse(file, "found {} bytes after the last tensor, allowed: none", data.size() - end);
  }
}

}  // namespace

Contents read_safetensors(const FileBytes& file) {
  Cursor cursor(file, "the safetensors file", file.bytes);
  const auto size = cursor.number<std::uint64_t>();
  if (size > kMaxHeader || size > cursor.left()) {
    refuse(file,
           "found a header of {} bytes, allowed: up to {} (the file has {} bytes after the "
           "header's size)",
           size, kMaxHeader, cursor.left());
  }
  const std::string_view header = text_of(cursor.take(size));
  // nlohmann-json takes a zero byte for the end of its input.
  if (!header.starts_with('{') || header.find('\0') != std::string_view::npos) {
    refuse(file,
           "found a header that is not valid JSON: it has to begin with '{{' and to hold no "
           "zero byte");
  }
  const std::span<const std::byte> data = cursor.take(cursor.left());
  Contents contents{.container = "safetensors", .tensors = {}, .buffers = {}};
  contents.tensors = HeaderReader(file, data).read(header);
  check_cover(file, contents.tensors, data);
  return contents;
}

}  // namespace refran::marian
