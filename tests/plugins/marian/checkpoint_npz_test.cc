// NumPy's npz and the headers of its arrays.
#include <string>

#include <gtest/gtest.h>
#include <marian/checkpoint/npz.h>

#include "checkpoint_files.h"

namespace refran::marian {
namespace {

using files::compressed;
using files::error_of;
using files::floats;
using files::npy;
using files::npy_header;
using files::stored;
using files::zip;

// The error of an npz of one array "a".
std::string array_error(const std::string& array) {
  return error_of(zip({stored("a.npy", array)}));
}
std::string header_error(std::string_view header) { return array_error(npy(header, floats({1}))); }

TEST(NpzTest, ReadsStoredAndCompressedArrays) {
  const std::string bytes = files::good_npz();
  const Contents contents = read_contents(files::file(bytes));
  ASSERT_EQ(contents.tensors.size(), 2U);
  EXPECT_EQ(contents.tensors[0].name, "Wemb");
  EXPECT_EQ(contents.tensors[0].shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(contents.tensors[0].strides, (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ(files::numbers_of(contents.tensors[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(contents.tensors[1].name, "special:model.yml");
  EXPECT_EQ(contents.tensors[1].type, StoredType::int8);
  EXPECT_EQ(text_of(contents.tensors[1].bytes), "a: 1");
}

TEST(NpzTest, ReadsAllVersionsAndHeadersInAnyForm) {
  const std::vector<std::string> arrays = {
      npy(npy_header("<f4", "(1,)"), floats({5}), 1),
      npy(npy_header("<f4", "(1,)"), floats({5}), 2),
      npy(npy_header("<f4", "(1,)"), floats({5}), 3), npy(npy_header("<f4", "()"), floats({5})),
      npy("{\"shape\":(1L,1,),\"fortran_order\":False,\"descr\":\"<f4\"}", floats({5}))};
  for (const std::string& array : arrays) {
    const std::string bytes = zip({stored("a.npy", array)});
    EXPECT_EQ(files::numbers_of(read_contents(files::file(bytes)).tensors.at(0)),
              std::vector<float>{5});
  }
}

TEST(NpzTest, ReadsEveryElementType) {
  const std::vector<std::pair<std::string, StoredType>> types = {
      {"<f4", StoredType::float32}, {"<f2", StoredType::float16}, {"<f8", StoredType::float64},
      {"|i1", StoredType::int8},    {"<i1", StoredType::int8},    {"<i2", StoredType::int16},
      {"<i4", StoredType::int32},   {"<i8", StoredType::int64},   {"|u1", StoredType::uint8},
      {"<u1", StoredType::uint8},   {"|b1", StoredType::boolean}, {"<b1", StoredType::boolean}};
  for (const auto& [name, type] : types) {
    const std::string bytes =
        zip({stored("a.npy", npy(npy_header(name, "(2,)"), std::string(2 * size_of(type), '\1')))});
    EXPECT_EQ(read_contents(files::file(bytes)).tensors.at(0).type, type) << name;
  }
}

TEST(NpzTest, RefusesOtherMembersAndOtherFiles) {
  EXPECT_EQ(error_of(zip({stored("word/document.xml", "<xml>")})),
            "model: found the member 'word/document.xml' in a zip file, allowed: PyTorch's (with a "
            "data.pkl in a folder), NumPy's (all members named .npy)");
  EXPECT_EQ(array_error("hello"), "model: found no array of NumPy in the member 'a'");
  EXPECT_EQ(array_error(npy("", "", 4)),
            "model: found version 4 of the npy format of the array 'a', allowed: 1 to 3");
}

TEST(NpzTest, RefusesOtherTypesAndOrders) {
  const std::string allowed =
      " of the array 'a', allowed: little-endian <f4, <f2, <f8, |i1, <i2, <i4, <i8, |u1, |b1";
  EXPECT_EQ(header_error(npy_header(">f4", "(1,)")), "model: found element type '>f4'" + allowed);
  EXPECT_EQ(header_error(npy_header("|O", "(1,)")), "model: found element type '|O'" + allowed);
  EXPECT_EQ(header_error("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }"),
            "model: found element type a record" + allowed);
  EXPECT_EQ(header_error("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }"),
            "model: found the array 'a' in Fortran's order (columns first), allowed: rows first");
}

TEST(NpzTest, RefusesSizesThatDoNotFit) {
  EXPECT_EQ(header_error(npy_header("<f4", "(2,)")),
            "model: found 4 bytes for the array 'a', which do not fit shape [2] of float32");
  EXPECT_EQ(header_error(npy_header("<f4", "(4611686018427387905, 4)")),
            "model: found 4 bytes for the array 'a', which do not fit shape [4611686018427387905, "
            "4] of float32");
  EXPECT_EQ(array_error(npy(npy_header("<f4", "(1,)"), floats({1}), 1).substr(0, 40)),
            "model: found the end of the array 'a' after 40 bytes, expected 31 more");
  EXPECT_EQ(array_error(std::string("\x93NUMPY\x02\x00", 8) + files::bytes_of(0x7FFFFFFFU)),
            "model: found a header of 2147483647 bytes of the array 'a', allowed: up to 65536");
}

TEST(NpzTest, RefusesDamagedHeaders) {
  for (const std::string_view header :
       {"", "{", "{}", "[]", "{'descr'", "{'descr': '<f4'}", "{'descr': '<f4}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': None, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': \"<f4', 'fortran_order': False, 'shape': (1,)}"}) {
    EXPECT_EQ(header_error(header),
              "model: found a damaged header of the array 'a', allowed: a dict of descr, "
              "fortran_order and shape")
        << header;
  }
}

}  // namespace
}  // namespace refran::marian
