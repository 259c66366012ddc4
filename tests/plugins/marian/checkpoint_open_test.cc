// Which container a file is, what is said of a file that is none, and what an opened one gives.
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <marian/checkpoint.h>

#include "checkpoint_files.h"
#include "torch_files.h"

namespace refran::marian {
namespace {

using files::error_of;
using files::numbers_of;

// A file of these bytes, which is deleted at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes)
      : path_(testing::TempDir() + "refran-checkpoint-" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string open_error(const std::filesystem::path& path) {
  try {
    Checkpoint::open(path);
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

TEST(CheckpointTest, TellsContainersByTheirContent) {
  const auto container = [](const std::string& bytes) {
    return read_contents(files::file(bytes)).container;
  };
  EXPECT_EQ(container(files::good_safetensors()), "safetensors");
  EXPECT_EQ(container(files::good_torch_zip()), "PyTorch zip");
  EXPECT_EQ(container(files::good_torch_legacy()), "PyTorch legacy pickle");
  EXPECT_EQ(container(files::good_npz()), "NumPy npz");
}

TEST(CheckpointTest, KeepsTensorsInTheOrderOfTheirNamesAndFindsThem) {
  const TemporaryFile file(files::good_safetensors());
  const Checkpoint checkpoint = Checkpoint::open(file.path());
  EXPECT_EQ(checkpoint.path(), file.path());
  EXPECT_EQ(checkpoint.container(), "safetensors");
  ASSERT_EQ(checkpoint.tensors().size(), 2U);
  EXPECT_EQ(checkpoint.tensors()[0].name, "a");
  EXPECT_EQ(checkpoint.tensors()[1].name, "b");
  EXPECT_EQ(checkpoint.find("b"), &checkpoint.tensors()[1]);
  EXPECT_EQ(checkpoint.find("aa"), nullptr);
  EXPECT_EQ(checkpoint.find("c"), nullptr);
}

TEST(CheckpointTest, KeepsItsBytesWhenItIsMoved) {
  const TemporaryFile file(files::good_npz());
  Checkpoint first = Checkpoint::open(file.path());
  const std::byte* const mapped = first.tensors()[0].bytes.data();
  const Checkpoint second = std::move(first);
  EXPECT_EQ(second.tensors()[0].bytes.data(), mapped);
  EXPECT_EQ(numbers_of(second.tensors()[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(text_of(second.tensors()[1].bytes), "a: 1");
}

TEST(CheckpointTest, OutlivesTheNameOfItsFile) {
  auto file = std::make_unique<TemporaryFile>(files::good_torch_zip());
  const Checkpoint checkpoint = Checkpoint::open(file->path());
  file.reset();
  EXPECT_EQ(numbers_of(checkpoint.tensors()[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(CheckpointTest, UsesStoredBytesWhereTheyLieInTheFile) {
  for (const std::string& bytes :
       {files::good_safetensors(), files::good_torch_zip(), files::good_torch_legacy()}) {
    const Contents contents = read_contents(files::file(bytes));
    EXPECT_TRUE(contents.buffers.empty());
    for (const StoredTensor& tensor : contents.tensors) {
      const auto* const begin = reinterpret_cast<const char*>(tensor.bytes.data());
      EXPECT_GE(begin, bytes.data());
      EXPECT_LE(begin + tensor.bytes.size(), bytes.data() + bytes.size());
    }
  }
}

TEST(CheckpointTest, NamesAndSizesElementTypes) {
  const std::vector<std::pair<std::string_view, std::size_t>> expected = {
      {"float32", 4}, {"float16", 2}, {"bfloat16", 2}, {"float64", 8}, {"int8", 1},
      {"int16", 2},   {"int32", 4},   {"int64", 8},    {"uint8", 1},   {"boolean", 1}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(name_of(static_cast<StoredType>(i)), expected[i].first);
    EXPECT_EQ(size_of(static_cast<StoredType>(i)), expected[i].second);
  }
}

TEST(StoredTensorTest, IsRowMajorWhateverTheStridesOfSizesOfOne) {
  const auto is_row_major = [](std::vector<std::size_t> shape, std::vector<std::size_t> strides) {
    return StoredTensor{.name = "a", .shape = shape, .strides = strides, .bytes = {}}
        .is_row_major();
  };
  EXPECT_TRUE(is_row_major({}, {}));
  EXPECT_TRUE(is_row_major({2, 3}, {3, 1}));
  EXPECT_TRUE(is_row_major({1, 3}, {7, 1}));
  EXPECT_TRUE(is_row_major({3, 1}, {1, 9}));
  EXPECT_TRUE(is_row_major({0, 3}, {5, 5}));
  EXPECT_FALSE(is_row_major({2, 3}, {1, 2}));
  EXPECT_FALSE(is_row_major({2, 3}, {4, 1}));
}

TEST(CheckpointTest, SaysWhatAFileIsThatIsNoCheckpoint) {
  EXPECT_EQ(error_of(""), "model: found an empty file");
  EXPECT_EQ(error_of("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 298\n"),
            "model: found a pointer of Git LFS, not the file it stands for; `git lfs pull` fetches "
            "that");
  const std::string page =
      "model: found an HTML page, not a model's weights; the page may link to "
      "them";
  EXPECT_EQ(error_of("\n <!DOCTYPE html>\n<html>"), page);
  EXPECT_EQ(error_of("\xEF\xBB\xBF<HTML lang=en>"), page);
  EXPECT_EQ(error_of(std::string(257, 'x') + "ustar  "),
            "model: found a tar file, as PyTorch wrote in 2016; load and save it with a newer "
            "PyTorch");
  EXPECT_EQ(error_of("\x89HDF\r\n\x1a\n…"),
            "model: found an HDF5 file, the weights of TensorFlow; take PyTorch's");
  EXPECT_EQ(error_of("\x1f\x8b\x08"), "model: found a file compressed with gzip; unpack it");
  const std::string unknown =
      "model: found a file that is no checkpoint, allowed: safetensors, "
      "PyTorch's .bin (zip or pickle), NumPy's .npz";
  EXPECT_EQ(error_of("hello, world"), unknown);
  EXPECT_EQ(error_of("\x80"), unknown);
  EXPECT_EQ(error_of("\x80\x06"), unknown);
  EXPECT_EQ(error_of(std::string(8, '\0')), unknown);
}

TEST(CheckpointTest, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(open_error("/no/such/file"),
            "/no/such/file: cannot be read: No such file or directory");
  const std::string folder = testing::TempDir();
  EXPECT_EQ(open_error(folder), folder + ": found a folder or device, expected a file");
  const TemporaryFile empty("");
  EXPECT_EQ(open_error(empty.path()), empty.path().string() + ": found an empty file");
}

TEST(CheckpointTest, ShowsNamesOfAFileInPrintableCharacters) {
  EXPECT_EQ(in_quotes("model.\x1b[31m\xC3\xA9"), "'model.\\x1b[31m\\xc3\\xa9'");
  EXPECT_EQ(in_quotes(std::string(200, 'a')), "'" + std::string(100, 'a') + "…'");
}

}  // namespace
}  // namespace refran::marian
