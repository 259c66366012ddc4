// safetensors: what the header may say, and that tensors cover the data.
#include <string>

#include <gtest/gtest.h>
#include <marian/checkpoint/safetensors.h>

#include "checkpoint_files.h"

namespace refran::marian {
namespace {

using files::error_of;
using files::floats;
using files::safetensors;

std::string entry(std::string_view type, std::string_view shape, std::string_view offsets) {
  return fmt::format(R"({{"a":{{"dtype":{},"shape":{},"data_offsets":{}}}}})", type, shape,
                     offsets);
}

TEST(SafetensorsTest, ReadsTensorsInAnyOrder) {
  const std::string bytes = files::good_safetensors();
  const Contents contents = read_contents(files::file(bytes));
  ASSERT_EQ(contents.tensors.size(), 2U);
  EXPECT_EQ(contents.tensors[0].name, "a");
  EXPECT_EQ(contents.tensors[0].type, StoredType::float32);
  EXPECT_EQ(contents.tensors[0].shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(contents.tensors[0].strides, (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ(files::numbers_of(contents.tensors[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(files::numbers_of(contents.tensors[1]), (std::vector<float>{7, 8}));
}

TEST(SafetensorsTest, ReadsEveryElementType) {
  const std::vector<std::pair<std::string, StoredType>> types = {
      {"F32", StoredType::float32}, {"F16", StoredType::float16}, {"BF16", StoredType::bfloat16},
      {"F64", StoredType::float64}, {"I8", StoredType::int8},     {"I16", StoredType::int16},
      {"I32", StoredType::int32},   {"I64", StoredType::int64},   {"U8", StoredType::uint8},
      {"BOOL", StoredType::boolean}};
  for (const auto& [name, type] : types) {
    const std::size_t size = 3 * size_of(type);
    const std::string bytes = safetensors(
        entry('"' + name + '"', "[3]", fmt::format("[0,{}]", size)), std::string(size, '\1'));
    EXPECT_EQ(read_contents(files::file(bytes)).tensors.at(0).type, type) << name;
  }
}

TEST(SafetensorsTest, ReadsEmptyTensorsScalarsAndFilesWithoutTensors) {
  const std::string empty = safetensors(entry("\"F32\"", "[0,5]", "[0,0]"), "");
  EXPECT_EQ(read_contents(files::file(empty)).tensors.at(0).elements(), 0U);
  const std::string scalar = safetensors(entry("\"F32\"", "[]", "[0,4]"), floats({1}));
  EXPECT_EQ(files::numbers_of(read_contents(files::file(scalar)).tensors.at(0)),
            std::vector<float>{1});
  const std::string none = safetensors(R"({"__metadata__":{"format":"pt","x":"y"}})", "");
  EXPECT_TRUE(read_contents(files::file(none)).tensors.empty());
}

TEST(SafetensorsTest, RefusesAHeaderBeyondTheFileOrTheFormat) {
  const auto error = [](std::uint64_t size, const std::string& rest) {
    return error_of(files::bytes_of(size) + rest);
  };
  EXPECT_EQ(error(4, "{}"),
            "model: found a header of 4 bytes, allowed: up to 100000000 (the file has 2 bytes "
            "after the header's size)");
  EXPECT_EQ(error(100'000'001, "{}"),
            "model: found a header of 100000001 bytes, allowed: up to 100000000 (the file has 2 "
            "bytes after the header's size)");
  EXPECT_EQ(error(~std::uint64_t{0}, "{}"),
            "model: found a header of 18446744073709551615 bytes, allowed: up to 100000000 (the "
            "file has 2 bytes after the header's size)");
  EXPECT_EQ(error_of("1234", read_safetensors),
            "model: found the end of the safetensors file after 4 bytes, expected 4 more");
}

TEST(SafetensorsTest, RefusesAHeaderThatIsNotJson) {
  EXPECT_EQ(error_of(safetensors("{\"a\":", "")),
            "model: found a header that is not valid JSON at byte 6");
  EXPECT_EQ(error_of(safetensors("{\"\xFF\":1}", "")),
            "model: found a header that is not valid JSON at byte 3");
  const std::string begin =
      "model: found a header that is not valid JSON: it has to begin with '{' and to hold no zero "
      "byte";
  EXPECT_EQ(error_of(safetensors(std::string("{}\0{", 4), "")), begin);
  EXPECT_EQ(error_of(safetensors(" {}", ""), read_safetensors), begin);
  EXPECT_EQ(error_of(safetensors("", ""), read_safetensors), begin);
  EXPECT_EQ(error_of(safetensors(entry("\"F32\"", "[1e999]", "[0,4]"), "")),
            "model: found a header with a number that is out of range");
}

TEST(SafetensorsTest, RefusesEntriesOfAnotherForm) {
  const auto error = [](const std::string& header) { return error_of(safetensors(header, "")); };
  const std::string allowed = ", allowed: a map of dtype, shape and data_offsets";
  const std::string keys = "model: found missing, other or repeated keys in the header's entry 'a'";
  const std::string kind = "model: found a value of another kind in the header's entry 'a'";
  EXPECT_EQ(error(R"({"a":{}})"), keys + allowed);
  EXPECT_EQ(error(R"({"a":{"dtype":"F32","shape":[],"data_offset":[0,4]}})"), keys + allowed);
  EXPECT_EQ(error(R"({"a":{"dtype":"F32","shape":[],"shape":[],"data_offsets":[0,4]}})"),
            keys + allowed);
  EXPECT_EQ(error(R"({"a":{"dtype":"F32","dtype":"F32","shape":[]}})"), keys + allowed);
  EXPECT_EQ(error(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4],"x":1}})"),
            keys + allowed);
  EXPECT_EQ(error(R"({"a":1})"), kind + allowed);
  EXPECT_EQ(error(R"({"a":[1]})"), kind + allowed);
  EXPECT_EQ(error(R"({"a":{"shape":{}}})"), kind + allowed);
  EXPECT_EQ(error(R"({"a":{"shape":[[]]}})"), kind + allowed);
  EXPECT_EQ(error(R"({"__metadata__":{"a":1}})"),
            "model: found a value that is no text in the header's entry '__metadata__', allowed: a "
            "map of texts");
  EXPECT_EQ(error(R"({"__metadata__":{"a":{}}})"),
            "model: found a value of another kind in the header's entry '__metadata__', allowed: a "
            "map of texts");
  std::string ones = "[1";
  for (int i = 0; i < 64; ++i) ones += ",1";
  EXPECT_EQ(error(entry("\"F32\"", ones + "]", "[0,4]")),
            "model: found a list of more than 64 numbers in the header's entry 'a'" + allowed);
}

TEST(SafetensorsTest, RefusesValuesThatAreNoTypesSizesOrOffsets) {
  const auto error = [](std::string_view type, std::string_view shape, std::string_view offsets) {
    return error_of(safetensors(entry(type, shape, offsets), floats({1})));
  };
  EXPECT_EQ(error("\"F8_E4M3\"", "[1]", "[0,4]"),
            "model: found dtype 'F8_E4M3' of tensor 'a', allowed: F32, F16, BF16, F64, I8, I16, "
            "I32, I64, U8, BOOL");
  EXPECT_EQ(error("32", "[1]", "[0,4]"),
            "model: found dtype '32' of tensor 'a', allowed: F32, F16, BF16, F64, I8, I16, I32, "
            "I64, U8, BOOL");
  EXPECT_EQ(error("\"F32\"", "[-1]", "[0,4]"),
            "model: found shape [-1] of tensor 'a', allowed: a list of whole numbers from 0");
  EXPECT_EQ(error("\"F32\"", "[1.0]", "[0,4]"),
            "model: found shape [1.0] of tensor 'a', allowed: a list of whole numbers from 0");
  EXPECT_EQ(error("\"F32\"", "\"1\"", "[0,4]"),
            "model: found shape \"1\" of tensor 'a', allowed: a list of whole numbers from 0");
  EXPECT_EQ(error("\"F32\"", "[1]", "[0,null]"),
            "model: found data_offsets [0,null] of tensor 'a', allowed: a list of whole numbers "
            "from 0");
}

TEST(SafetensorsTest, RefusesOffsetsThatDoNotFit) {
  const auto error = [](std::string_view shape, std::string_view offsets) {
    return error_of(safetensors(entry("\"F32\"", shape, offsets), floats({1, 2})));
  };
  const std::string allowed =
      " of tensor 'a', allowed: [begin, end] within the 8 bytes that "
      "follow the header";
  EXPECT_EQ(error("[2]", "[0,9]"), "model: found data_offsets [0, 9]" + allowed);
  EXPECT_EQ(error("[2]", "[8,0]"), "model: found data_offsets [8, 0]" + allowed);
  EXPECT_EQ(error("[2]", "[0]"), "model: found data_offsets [0]" + allowed);
  EXPECT_EQ(error("[2]", "[0,4,8]"), "model: found data_offsets [0, 4, 8]" + allowed);
  EXPECT_EQ(error("[3]", "[0,8]"),
            "model: found 8 bytes for tensor 'a', which do not fit shape [3] of float32");
  EXPECT_EQ(error("[4611686018427387905,4]", "[0,8]"),
            "model: found 8 bytes for tensor 'a', which do not fit shape [4611686018427387905, 4] "
            "of float32");
  EXPECT_EQ(error("[4294967296,4294967296,0]", "[0,0]"),
            "model: found 0 bytes for tensor 'a', which do not fit shape [4294967296, 4294967296, "
            "0] of float32");
}

TEST(SafetensorsTest, RefusesHolesOverlapsAndRests) {
  const auto two = [](std::string_view first, std::string_view second, std::size_t floats_count) {
    const std::string header =
        fmt::format(R"({{"a":{{"dtype":"F32","shape":[1],"data_offsets":{}}},)"
                    R"("b":{{"dtype":"F32","shape":[1],"data_offsets":{}}}}})",
                    first, second);
    return error_of(safetensors(header, std::string(4 * floats_count, '\0')));
  };
  const std::string rule = ": tensors follow each other without a hole or an overlap";
  EXPECT_EQ(two("[0,4]", "[8,12]", 3),
            "model: found that tensor 'b' begins at byte 8 of the data, expected 4" + rule);
  EXPECT_EQ(two("[0,4]", "[0,4]", 1),
            "model: found that tensor 'b' begins at byte 0 of the data, expected 4" + rule);
  EXPECT_EQ(two("[4,8]", "[2,6]", 2),
            "model: found that tensor 'b' begins at byte 2 of the data, expected 0" + rule);
  EXPECT_EQ(two("[0,4]", "[4,8]", 3), "model: found 4 bytes after the last tensor, allowed: none");
}

TEST(SafetensorsTest, RefusesANameGivenTwice) {
  EXPECT_EQ(error_of(safetensors(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                                 R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                                 floats({1, 2}))),
            "model: found two tensors 'a', allowed: one");
}

}  // namespace
}  // namespace refran::marian
