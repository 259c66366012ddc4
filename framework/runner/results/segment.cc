#include "segment.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <type_traits>

#include <fmt/format.h>

namespace refran::runner {
namespace {

constexpr std::uint32_t kMagic = 0x47534652;  // "RFSG"

enum class Kind : std::uint32_t { values = 1, commit = 2 };

// Stands before every record.
struct Header {
  std::uint32_t magic = kMagic;
  Kind kind = Kind::values;
  std::uint64_t bytes = 0;
  std::uint32_t payload_crc = 0;
  std::uint32_t header_crc = 0;  // of the fields above
};
static_assert(sizeof(Header) == 24);

std::uint32_t crc_of(const void* data, std::size_t bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, static_cast<const Bytef*>(data), bytes));
}

std::uint32_t header_crc(const Header& header) {
  return crc_of(&header, offsetof(Header, header_crc));
}

[[noreturn]] void throw_errno(const std::filesystem::path& file, std::string_view what, int error) {
  throw StorageError(fmt::format("{}: {}: {}", file.string(), what, std::strerror(error)));
}

// A commit record's bytes: numbers as they are in memory, texts and lists behind their length.
class Encoder {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
  void add(const std::string& text) {
    add(std::uint64_t{text.size()});
    bytes_ += text;
  }
  void add(const Sha256& digest) {
    bytes_.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  }
  void add(const Piece& piece) { add(piece.offset), add(piece.bytes); }
  void add(const DatasetRecord& dataset) {
    add(dataset.output), add(dataset.item), add(dataset.extents), add(dataset.digest),
        add(dataset.pieces);
  }
  void add(const LabelRecord& label) { add(label.item), add(label.dim), add(*label.labels); }
  template <class T>
  void add(const std::vector<T>& list) {
    add(std::uint64_t{list.size()});
    for (const T& entry : list) add(entry);
  }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

 private:
  std::string bytes_;
};

// The same in reverse. The record's checksum has been found right, so what does not fit is another
// version's.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void get(T& value) { std::memcpy(&value, take(sizeof(value)).data(), sizeof(value)); }
  void get(std::string& text) {
    const auto stretch = take(length());
    text.assign(reinterpret_cast<const char*>(stretch.data()), stretch.size());
  }
  void get(Sha256& digest) {
    std::memcpy(digest.data(), take(digest.size()).data(), digest.size());
  }
  void get(Piece& piece) { get(piece.offset), get(piece.bytes); }
  void get(DatasetRecord& dataset) {
    get(dataset.output), get(dataset.item), get(dataset.extents), get(dataset.digest),
        get(dataset.pieces);
  }
  void get(LabelRecord& label) {
    std::vector<std::string> labels;
    get(label.item), get(label.dim), get(labels);
    label.labels = std::make_shared<const std::vector<std::string>>(std::move(labels));
  }
  template <class T>
  void get(std::vector<T>& list) {
    const std::size_t count = length();
    list.clear();
    for (std::size_t i = 0; i < count; ++i) get(list.emplace_back());
  }

 private:
  std::size_t length() {
    std::uint64_t value = 0;
    get(value);
    return static_cast<std::size_t>(value);
  }
  std::span<const std::byte> take(std::size_t count) {
    if (count > bytes_.size())
      throw StorageError("a segment was written by another version of refran");
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

  std::span<const std::byte> bytes_;
};

// One list of the fields serves both directions; `segment` is not among them.
template <class Coder, class Record>
void code(Coder&& each, Record& record) {
  each(record.run), each(record.status), each(record.failure), each(record.log), each(record.notes);
  each(record.item_list), each(record.items), each(record.datasets), each(record.labels);
  each(record.started), each(record.ended);
}

// Reads up to `bytes` at `offset`; fewer only at the end of the file.
std::size_t read_at(int file, void* data, std::size_t bytes, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(file, static_cast<char*>(data) + done, bytes - done,
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

std::string_view name_of(RunStatus status) {
  return status == RunStatus::complete ? "complete" : "failed";
}

class SegmentWriter::Impl {
 public:
  explicit Impl(const std::filesystem::path& file)
      : path_(file),
        file_(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644)) {
    if (file_ < 0) throw_errno(path_, "cannot be created", errno);
    flusher_ = std::thread([this] { flush_every_second(); });
  }
  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    flusher_.join();
    close(file_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::uint64_t append(Kind kind, std::span<const std::byte> payload) {
    Header header{.kind = kind,
                  .bytes = payload.size(),
                  .payload_crc = crc_of(payload.data(), payload.size())};
    header.header_crc = header_crc(header);
    write_all(std::as_bytes(std::span(&header, 1)));
    const std::uint64_t offset = size_;
    write_all(payload);
    const std::lock_guard lock(mutex_);
    dirty_ = true;
    return offset;
  }

  void sync() {
    if (fdatasync(file_) != 0) throw_errno(path_, "cannot be written to disk", errno);
    const std::lock_guard lock(mutex_);
    dirty_ = false;
  }

 private:
  void write_all(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::write(file_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw_errno(path_, "cannot be written", errno);
      size_ += static_cast<std::uint64_t>(done);
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
  }

  // Power loss may then cost the last second, and never more.
  void flush_every_second() {
    std::unique_lock lock(mutex_);
    while (!closing_) {
      wake_.wait_for(lock, std::chrono::milliseconds(900), [this] { return closing_; });
      if (!dirty_ || closing_) continue;
      dirty_ = false;
      lock.unlock();
      fdatasync(file_);  // an error shows at the next write, or at the sync that ends the work
      lock.lock();
    }
  }

  std::filesystem::path path_;
  int file_;
  std::uint64_t size_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool dirty_ = false;
  bool closing_ = false;
  std::thread flusher_;
};

SegmentWriter::SegmentWriter(const std::filesystem::path& file)
    : impl_(std::make_unique<Impl>(file)) {}
SegmentWriter::~SegmentWriter() = default;

Piece SegmentWriter::write(std::span<const std::byte> values) {
  return {impl_->append(Kind::values, values), values.size()};
}

void SegmentWriter::commit(const RunRecord& record) {
  Encoder encoder;
  code([&](const auto& field) { encoder.add(field); }, record);
  impl_->append(Kind::commit, encoder.bytes());
}

void SegmentWriter::sync() { impl_->sync(); }

SegmentSet::SegmentSet(const std::filesystem::path& place) {
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::is_directory(place)) {
    for (const auto& entry : std::filesystem::directory_iterator(place))
      paths.push_back(entry.path());
  } else if (std::filesystem::exists(place)) {
    paths.push_back(place);
  }
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    files_.push_back(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (files_.back() < 0) throw_errno(path, "cannot be opened", errno);
    load(path, static_cast<std::uint32_t>(files_.size() - 1));
  }
}

SegmentSet::~SegmentSet() {
  for (const int file : files_) close(file);
}

void SegmentSet::load(const std::filesystem::path& path, std::uint32_t segment) {
  struct stat facts {};
  if (fstat(files_[segment], &facts) != 0) throw_errno(path, "cannot be read", errno);
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  std::uint64_t at = 0;
  std::vector<std::byte> payload;
  Header header;
  while (read_at(files_[segment], &header, sizeof(header), at) == sizeof(header)) {
    at += sizeof(header);
    if (header.magic != kMagic || header.header_crc != header_crc(header) ||
        header.bytes > size - at)
      return;
    if (header.kind == Kind::commit) {
      payload.resize(header.bytes);
      if (read_at(files_[segment], payload.data(), payload.size(), at) != payload.size()) return;
      if (crc_of(payload.data(), payload.size()) != header.payload_crc) return;
      RunRecord record;
      Decoder decoder(payload);
      code([&](auto& field) { decoder.get(field); }, record);
      record.segment = segment;
      share_labels(record);
      const auto known = runs_.find(record.run);
      if (known == runs_.end() || known->second.status != RunStatus::complete) {
        runs_.insert_or_assign(record.run, std::move(record));
      }
    }
    at += header.bytes;
  }
}

// Runs of a sweep mostly have the labels of the run before.
void SegmentSet::share_labels(RunRecord& record) {
  record.datasets.shrink_to_fit();
  for (LabelRecord& label : record.labels) {
    SharedTexts& latest = latest_[{label.item, label.dim}];
    if (latest == nullptr || *latest != *label.labels) latest = label.labels;
    label.labels = latest;
  }
}

void SegmentSet::read(const RunRecord& run, const DatasetRecord& dataset,
                      std::span<std::byte> bytes) const {
  for (const Piece& piece : dataset.pieces) {
    if (piece.bytes > bytes.size())
      throw std::logic_error("a segment holds more values than its dataset");
    Header header;
    const int file = files_.at(run.segment);
    read_at(file, &header, sizeof(header), piece.offset - sizeof(header));
    if (read_at(file, bytes.data(), piece.bytes, piece.offset) != piece.bytes ||
        crc_of(bytes.data(), piece.bytes) != header.payload_crc) {
      throw StorageError(
          fmt::format("the values of run {} are damaged on disk; delete its folder", run.run));
    }
    bytes = bytes.subspan(piece.bytes);
  }
  if (!bytes.empty()) throw std::logic_error("a segment holds fewer values than its dataset");
}

}  // namespace refran::runner
