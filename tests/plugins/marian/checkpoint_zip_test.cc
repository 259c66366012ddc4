// The directory of zip files, and what is inflated.
#include <string>

#include <gtest/gtest.h>
#include <marian/checkpoint/zip_archive.h>

#include "checkpoint_files.h"

namespace refran::marian {
namespace {

using files::compressed;
using files::stored;
using files::zip;
using files::ZipEnd;
using files::ZipEntry;

std::string archive_error(std::string_view bytes) {
  return files::error_of(bytes, [](const FileBytes& file) { ZipArchive archive(file); });
}

// The error of reading the first member.
std::string data_error(std::string_view bytes) {
  return files::error_of(bytes, [](const FileBytes& file) {
    std::vector<Buffer> buffers;
    ZipArchive archive(file);
    archive.data_of(archive.members().at(0), buffers);
  });
}

const std::string kDamaged =
    "model: found a zip file whose directory does not fit it: the file is damaged or cut short";
const std::string kNoDirectory =
    "model: found a zip file without a directory at its end: the file is damaged or cut short";

TEST(ZipArchiveTest, FindsMembersInSmallAndWideFiles) {
  for (const ZipEnd end : {ZipEnd::small, ZipEnd::wide}) {
    ZipEntry wide = stored("b", "two");
    wide.is_wide = true;
    const std::string bytes = zip({wide, stored("a", "one"), compressed("c", "three")}, end);
    const FileBytes file = files::file(bytes);
    ZipArchive archive(file);
    ASSERT_EQ(archive.members().size(), 3U);
    EXPECT_EQ(archive.members()[0].name, "a");
    EXPECT_EQ(archive.find("d"), nullptr);
    std::vector<Buffer> buffers;
    EXPECT_EQ(text_of(archive.data_of(*archive.find("a"), buffers)), "one");
    EXPECT_EQ(text_of(archive.data_of(*archive.find("b"), buffers)), "two");
    EXPECT_TRUE(buffers.empty());
    EXPECT_EQ(text_of(archive.data_of(*archive.find("c"), buffers)), "three");
    EXPECT_EQ(buffers.size(), 1U);
  }
}

TEST(ZipArchiveTest, ReadsFilesWithACommentAndWithoutMembers) {
  std::string bytes = zip({});
  bytes.replace(bytes.size() - 2, 2, files::bytes_of(std::uint16_t{5}));
  const std::string commented = bytes + "words";
  const FileBytes file = files::file(commented);
  EXPECT_TRUE(ZipArchive(file).members().empty());
  EXPECT_EQ(archive_error(bytes + "longer"), kNoDirectory);
}

TEST(ZipArchiveTest, RefusesDirectoriesThatDoNotFitTheFile) {
  const std::string good = zip({stored("a", "one")});
  const std::size_t end = good.size() - 22;
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string bad = good;
    bad.replace(at, bytes.size(), bytes);
    return archive_error(bad);
  };
  EXPECT_EQ(archive_error(good.substr(0, end)), kNoDirectory);
  EXPECT_EQ(with(end + 16, files::bytes_of(0xFFFFFFFFU)), kDamaged);       // its place
  EXPECT_EQ(with(end + 12, files::bytes_of(1U)), kDamaged);                // its size
  EXPECT_EQ(with(end + 8, files::bytes_of(0x00020002U)), kDamaged);        // two entries
  EXPECT_EQ(with(end + 8, files::bytes_of(0x00000000U)), kDamaged);        // none
  EXPECT_EQ(with(end - 47, "PK\x07\x08"), kDamaged);                       // the entry's signature
  EXPECT_EQ(with(end - 47 + 42, files::bytes_of(1U)), kDamaged);           // the member's place
  EXPECT_EQ(with(end - 47 + 42, files::bytes_of(0x7FFFFFFFU)), kDamaged);  // the member's place
  EXPECT_EQ(with(end - 47 + 24, files::bytes_of(4U)), kDamaged);           // its two sizes differ
  EXPECT_EQ(with(end + 4, files::bytes_of(1U)),
            "model: found one part of several of a zip file, allowed: all in one");
  EXPECT_EQ(with(end - 47 + 20, files::bytes_of(7U)),
            "model: found 3 bytes for the member 'a' of the zip file, expected 7");
  EXPECT_EQ(with(end - 47 + 28, files::bytes_of(std::uint16_t{99})),
            "model: found the end of the zip file's directory after 47 bytes, expected 98 more");
}

TEST(ZipArchiveTest, RefusesWideRecordsThatDoNotFitTheFile) {
  const std::string good = zip({stored("a", "one")}, ZipEnd::wide);
  const std::size_t locator = good.size() - 42;
  const std::size_t record = locator - 56;
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string bad = good;
    bad.replace(at, bytes.size(), bytes);
    return archive_error(bad);
  };
  EXPECT_EQ(with(locator + 8, files::bytes_of(std::uint64_t{1})), kDamaged);
  EXPECT_EQ(with(locator + 8, files::bytes_of(~std::uint64_t{0})), kDamaged);
  EXPECT_EQ(with(record + 40, files::bytes_of(~std::uint64_t{0})), kDamaged);
  EXPECT_EQ(with(record + 48, files::bytes_of(~std::uint64_t{0})), kDamaged);
  EXPECT_EQ(with(good.size() - 22 + 12, files::bytes_of(5U)), kDamaged);  // two sizes
  EXPECT_EQ(with(record + 32, files::bytes_of(std::uint64_t{2})),
            "model: found one part of several of a zip file, allowed: all in one");
}

TEST(ZipArchiveTest, RefusesMembersThatOverlapOrShareAName) {
  ZipEntry shared = stored("b", "one");
  shared.shares_previous = true;
  shared.local_name = "a";
  EXPECT_EQ(archive_error(zip({stored("a", "one"), shared})),
            "model: found another name than 'b' where the zip file's directory has this member");
  shared.name = "a";
  EXPECT_EQ(archive_error(zip({stored("a", "one"), shared})),
            "model: found that the members 'a' and 'a' of the zip file overlap, allowed: separate "
            "ones");
  EXPECT_EQ(archive_error(zip({stored("a", "one"), stored("a", "two")})),
            "model: found two members 'a' in the zip file, allowed: one");
}

TEST(ZipArchiveTest, RefusesEncryptedMembersAndOtherMethods) {
  ZipEntry member = stored("a", "one");
  member.flags = 1;
  EXPECT_EQ(archive_error(zip({member})),
            "model: found the encrypted member 'a' of a zip file, allowed: plain ones");
  member.flags = 0;
  member.method = 93;
  EXPECT_EQ(archive_error(zip({member})),
            "model: found compression method 93 for the member 'a' of the zip file, allowed: 0 "
            "(stored), 8 (deflated)");
}

TEST(ZipArchiveTest, RefusesCompressedDataThatAreDamaged) {
  const std::string damaged = "model: found damaged data in the member 'a' of the zip file";
  ZipEntry member = compressed("a", "one");
  member.sum ^= 1;
  EXPECT_EQ(data_error(zip({member})), damaged);
  member = compressed("a", "one");
  member.packed[0] = '\x07';  // a kind of block that does not exist
  EXPECT_EQ(data_error(zip({member})), damaged);
  member = compressed("a", "one");
  member.size = 4;
  EXPECT_EQ(data_error(zip({member})), damaged);
  member.size = 2;
  EXPECT_EQ(data_error(zip({member})), damaged);
}

TEST(ZipArchiveTest, RefusesSizesOutOfProportionBeforeItAllocates) {
  ZipEntry bomb = compressed("a", "one");
  bomb.size = std::uint64_t{1} << 32;
  bomb.is_wide = true;
  EXPECT_EQ(data_error(zip({bomb})),
            "model: found that the member 'a' of the zip file inflates from 8 bytes to 4294967296, "
            "out of proportion for weights");
  // Within what deflate can do, and beyond what a file of this size may come to.
  bomb = compressed("a", std::string(65000, 'x'));
  bomb.size = std::uint64_t{65000} * 1032;
  EXPECT_EQ(data_error(zip({bomb})), "model: found damaged data in the member 'a' of the zip file");
  bomb.packed += std::string(65000, 'x');
  bomb.size *= 2;
  EXPECT_EQ(data_error(zip({bomb})),
            "model: found that the member 'a' of the zip file inflates from 130005 bytes to "
            "134160000, out of proportion for weights");
}

}  // namespace
}  // namespace refran::marian
