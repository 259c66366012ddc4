// State dicts in both of PyTorch's containers.
#include <string>

#include <gtest/gtest.h>
#include <marian/checkpoint/torch_legacy.h>

#include "checkpoint_files.h"
#include "torch_files.h"

namespace refran::marian {
namespace {

using files::dict;
using files::error_of;
using files::floats;
using files::integer;
using files::kNone;
using files::parameter;
using files::stored;
using files::tensor;
using files::TensorFields;
using files::text;
using files::torch_legacy;
using files::torch_legacy_of;
using files::torch_zip;
using files::torch_zip_of;
using files::tuple;

const std::string kSixFloats = floats({1, 2, 3, 4, 5, 6});

// The tensors of both containers have the same rules.
class StateDictTest : public testing::TestWithParam<bool> {
 protected:
  static bool is_zip() { return GetParam(); }
  static std::string file_of(const std::string& value) {
    return is_zip() ? torch_zip(value, {stored("archive/data/0", kSixFloats)})
                    : torch_legacy(value, {{"0", 6, kSixFloats}});
  }
  static TensorFields fields() { return {.view = is_zip() ? std::string() : kNone}; }
  static std::string file_of(const TensorFields& of) {
    return is_zip() ? torch_zip_of(of) : torch_legacy_of(of);
  }
};

INSTANTIATE_TEST_SUITE_P(Containers, StateDictTest, testing::Bool(),
                         [](const auto& test) { return test.param ? "Zip" : "Legacy"; });

TEST_P(StateDictTest, ReadsTiedTransposedParametersOfAnOrderedDict) {
  const std::string bytes = is_zip() ? files::good_torch_zip() : files::good_torch_legacy();
  const Contents contents = read_contents(files::file(bytes));
  ASSERT_EQ(contents.tensors.size(), 2U);
  const StoredTensor& flat = contents.tensors[0];
  const StoredTensor& transposed = contents.tensors[1];
  EXPECT_EQ(flat.name, "a");
  EXPECT_TRUE(flat.is_row_major());
  EXPECT_EQ(files::numbers_of(flat), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(transposed.name, "b");
  EXPECT_FALSE(transposed.is_row_major());
  EXPECT_EQ(transposed.shape, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(files::numbers_of(transposed), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(flat.bytes.data(), transposed.bytes.data());  // one storage
}

TEST_P(StateDictTest, ReadsAPartOfAStorageAndEmptyTensors) {
  TensorFields part = fields();
  part.offset = 1;
  part.shape = {2, 2};
  part.strides = {3, 1};
  const std::string bytes = file_of(part);
  const StoredTensor found = read_contents(files::file(bytes)).tensors.at(0);
  EXPECT_EQ(files::numbers_of(found), (std::vector<float>{2, 3, 5, 6}));
  EXPECT_EQ(found.bytes.size(), 5 * sizeof(float));
  part.offset = 6;
  part.shape = {2, 0};
  const std::string none = file_of(part);
  EXPECT_EQ(read_contents(files::file(none)).tensors.at(0).elements(), 0U);
}

TEST_P(StateDictTest, RefusesTensorsBeyondTheirStorage) {
  const auto error = [](std::int32_t offset, const std::vector<std::int32_t>& shape,
                        const std::vector<std::int32_t>& strides) {
    TensorFields wrong = fields();
    wrong.offset = offset;
    wrong.shape = shape;
    wrong.strides = strides;
    return error_of(file_of(wrong));
  };
  const std::string beyond = " reaches beyond its storage of 6 elements";
  EXPECT_EQ(error(1, {2, 3}, {3, 1}),
            "model: found that tensor 'a' of shape [2, 3], strides [3, 1] and offset 1" + beyond);
  EXPECT_EQ(error(0, {2}, {6}),
            "model: found that tensor 'a' of shape [2], strides [6] and offset 0" + beyond);
  EXPECT_EQ(error(6, {}, {}),
            "model: found that tensor 'a' of shape [], strides [] and offset 6" + beyond);
  EXPECT_EQ(error(7, {0}, {1}),
            "model: found that tensor 'a' of shape [0], strides [1] and offset 7" + beyond);
  const std::int32_t big = 0x7FFFFFFF;
  EXPECT_EQ(error(0, {big, big, big}, {1, 1, 1}),
            "model: found that tensor 'a' of shape [2147483647, 2147483647, 2147483647], strides "
            "[1, 1, 1] and offset 0" +
                beyond);
  EXPECT_EQ(error(0, {big, 2}, {big, big}),
            "model: found that tensor 'a' of shape [2147483647, 2], strides [2147483647, "
            "2147483647] and offset 0" +
                beyond);
  EXPECT_EQ(error(0, {big}, {0}),
            "model: found that tensor 'a' of shape [2147483647] and strides [0] repeats elements "
            "of its storage, allowed: each once");
}

TEST_P(StateDictTest, RefusesNegativeNumbersAndOtherValues) {
  TensorFields wrong = fields();
  wrong.shape = {2, -3};
  EXPECT_EQ(error_of(file_of(wrong)), "model: found -3 as the size of tensor 'a', allowed: from 0");
  wrong = fields();
  wrong.strides = {-3, 1};
  EXPECT_EQ(error_of(file_of(wrong)),
            "model: found -3 as the stride of tensor 'a', allowed: from 0");
  wrong = fields();
  wrong.offset = -1;
  EXPECT_EQ(error_of(file_of(wrong)),
            "model: found -1 as the offset of tensor 'a', allowed: from 0");
  wrong = fields();
  wrong.elements = -6;
  EXPECT_EQ(error_of(file_of(wrong)),
            "model: found -6 as the size of storage '0', allowed: from 0");
  wrong = fields();
  wrong.strides = {1};
  EXPECT_EQ(error_of(file_of(wrong)),
            "model: found a tensor with a stride too many or few as the entry 'a' of the "
            "state_dict, allowed: a tensor or parameter");
}

TEST_P(StateDictTest, RefusesEntriesThatAreNoTensors) {
  const auto error = [](const std::string& value) { return error_of(file_of(value)); };
  const auto entry = [](std::string_view found) {
    return fmt::format(
        "model: found {} as the entry 'a' of the state_dict, allowed: a tensor or parameter",
        found);
  };
  const std::string rebuild = files::global("torch._utils", "_rebuild_tensor_v2");
  const std::string make_parameter = files::global("torch._utils", "_rebuild_parameter");
  const std::string used = text("b") + tensor(fields());  // so that no storage is without a tensor
  EXPECT_EQ(error(dict({text("a"), integer(1), used})), entry("a value that is no tensor"));
  EXPECT_EQ(error(dict({text("a"), dict({}), used})), entry("a value that is no tensor"));
  EXPECT_EQ(error(dict({text("a"), files::call(rebuild, {integer(1)}), used})),
            entry("an incomplete tensor"));
  EXPECT_EQ(error(dict({text("a"), files::call(rebuild, {kNone, kNone, kNone, kNone, kNone, kNone}),
                        used})),
            entry("a tensor without a storage"));
  EXPECT_EQ(error(dict({text("a"), files::call(make_parameter, {kNone}), used})),
            entry("an incomplete parameter"));
  const std::string twice =
      files::call(make_parameter, {parameter(fields()), files::kFalse, files::ordered_dict()});
  EXPECT_EQ(error(dict({text("a"), twice})), entry("a value that is no tensor"));
  EXPECT_EQ(error(dict({integer(1), tensor(fields())})),
            "model: found a key that is no text in the state_dict, allowed: names");
  EXPECT_EQ(error(dict({text("a"), tensor(fields()), text("a"), tensor(fields())})),
            "model: found two tensors 'a', allowed: one");
  EXPECT_EQ(error_of(is_zip() ? torch_zip("N", {}) : torch_legacy("N", {})),
            "model: found a pickle that is no dict, allowed: a state_dict of names to tensors");
}

TEST_P(StateDictTest, RefusesPersistentIdsThatNameNoStorage) {
  const std::string rebuild = files::global("torch._utils", "_rebuild_tensor_v2");
  const std::string type = files::global("torch", "FloatStorage");
  for (const std::string& id :
       {integer(1), tuple({}), tuple({text("module"), type, text("0"), text("cpu"), integer(6)}),
        tuple({text("storage"), type, integer(0), text("cpu"), integer(6)}),
        tuple({text("storage"), text("FloatStorage"), text("0"), text("cpu"), integer(6)})}) {
    const std::string value =
        dict({text("a"),
              files::call(rebuild, {id + "Q", integer(0), tuple({}), tuple({}), kNone, kNone})});
    EXPECT_EQ(error_of(file_of(value)),
              "model: found a persistent id in the pickle that names no storage, allowed: "
              "('storage', type, key, place, elements)");
  }
}

TEST_P(StateDictTest, ReadsEveryStorageType) {
  const std::vector<std::pair<std::string, StoredType>> types = {
      {"FloatStorage", StoredType::float32},     {"HalfStorage", StoredType::float16},
      {"BFloat16Storage", StoredType::bfloat16}, {"DoubleStorage", StoredType::float64},
      {"LongStorage", StoredType::int64},        {"IntStorage", StoredType::int32},
      {"ShortStorage", StoredType::int16},       {"CharStorage", StoredType::int8},
      {"ByteStorage", StoredType::uint8},        {"BoolStorage", StoredType::boolean}};
  for (const auto& [name, type] : types) {
    TensorFields of = fields();
    of.type = name;
    const std::string value = dict({text("a"), tensor(of)});
    const std::string data(6 * size_of(type), '\1');
    const std::string bytes = is_zip() ? torch_zip(value, {stored("archive/data/0", data)})
                                       : torch_legacy(value, {{"0", 6, data}});
    EXPECT_EQ(read_contents(files::file(bytes)).tensors.at(0).type, type) << name;
  }
}

TEST(TorchZipTest, ReadsAnArchiveThatWasCompressed) {
  const std::string bytes = files::zip(
      {files::compressed("x/data.pkl",
                         files::pickle_file(dict({text("a"), tensor({}), text("b"), tensor({})}))),
       files::compressed("x/data/0", kSixFloats)});
  const Contents contents = read_contents(files::file(bytes));
  EXPECT_EQ(files::numbers_of(contents.tensors.at(0)), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(contents.tensors[0].bytes.data(), contents.tensors.at(1).bytes.data());
  EXPECT_EQ(contents.buffers.size(), 2U);  // the pickle and one storage
}

TEST(TorchZipTest, RefusesTorchScriptAndBigEndian) {
  const std::string value = dict({text("a"), tensor({})});
  EXPECT_EQ(error_of(torch_zip(value, {stored("archive/constants.pkl", "x")})),
            "model: found an archive of TorchScript, a program; allowed: a state_dict, as "
            "torch.save(model.state_dict(), …) writes it");
  EXPECT_EQ(error_of(torch_zip(value, {stored("archive/byteorder", "big")})),
            "model: found byte order 'big', allowed: little-endian");
}

TEST(TorchZipTest, RefusesMembersThatDoNotFitThePickle) {
  const std::string value = dict({text("a"), tensor({})});
  EXPECT_EQ(
      error_of(torch_zip(value, {})),
      "model: found no member 'data/0' in the zip file, which a tensor of the pickle lies in");
  EXPECT_EQ(error_of(torch_zip(value, {stored("archive/data/0", floats({1, 2}))})),
            "model: found 8 bytes in the member 'archive/data/0' of the zip file, which do not fit "
            "6 elements of float32");
  EXPECT_EQ(error_of(torch_zip(value, {stored("archive/data/0", kSixFloats + "x")})),
            "model: found 25 bytes in the member 'archive/data/0' of the zip file, which do not "
            "fit 6 elements of float32");
  EXPECT_EQ(error_of(torch_zip(value, {stored("other/data.pkl", "x")})),
            "model: found data.pkl in several folders of the zip file, allowed: one");
  EXPECT_EQ(error_of(torch_zip(value + ".x", {stored("archive/data/0", kSixFloats)})),
            "model: found 2 bytes after the end of the pickle archive/data.pkl, allowed: none");
  EXPECT_EQ(error_of(files::zip({stored("archive/data.pkl", "\x80\x02")})),
            "model: found the end of archive/data.pkl after 2 bytes, expected 1 more");
}

TEST(TorchLegacyTest, ReadsViewsOfStorages) {
  TensorFields view{.elements = 6, .shape = {3}, .strides = {1}};
  view.view = tuple({text("7"), integer(2), integer(3)});
  const std::string bytes = torch_legacy_of(view);
  EXPECT_EQ(files::numbers_of(read_contents(files::file(bytes)).tensors.at(0)),
            (std::vector<float>{3, 4, 5}));
  view.shape = {4};
  EXPECT_EQ(error_of(torch_legacy_of(view)),
            "model: found that tensor 'a' of shape [4], strides [1] and offset 0 reaches beyond "
            "its storage of 3 elements");
  view.view = tuple({text("7"), integer(5), integer(3)});
  EXPECT_EQ(error_of(torch_legacy_of(view)),
            "model: found a view of 3 elements from 5 in storage '0', allowed: within its 6 "
            "elements");
  view.view = tuple({text("7"), integer(-1), integer(3)});
  EXPECT_EQ(error_of(torch_legacy_of(view)),
            "model: found -1 as the offset of the view of storage '0', allowed: from 0");
  view.view = integer(1);
  EXPECT_EQ(error_of(torch_legacy_of(view)),
            "model: found a damaged view of storage '0', allowed: (key, offset, elements)");
}

TEST(TorchLegacyTest, RefusesOtherPicklesVersionsAndByteOrders) {
  EXPECT_EQ(error_of(files::pickle_file(dict({text("a"), integer(1)}))),
            "model: found a pickle that is not one of PyTorch: its first value is not the magic "
            "number of torch.save");
  const std::string magic = files::pickle_file(files::kMagic);
  EXPECT_EQ(error_of(magic + files::pickle_file(integer(1002))),
            "model: found another version of PyTorch's legacy format, allowed: 1001");
  EXPECT_EQ(error_of(magic + files::pickle_file(integer(1001)) + files::pickle_file("N")),
            "model: found no facts on the system before PyTorch's state_dict");
  EXPECT_EQ(error_of(torch_legacy("}", {}, files::system_facts(false))),
            "model: found byte order 'big', allowed: little-endian");
}

TEST(TorchLegacyTest, RefusesStoragesThatDoNotFitTheStateDict) {
  const TensorFields of{.view = kNone};
  const std::string value = dict({text("a"), tensor(of)});
  EXPECT_EQ(error_of(torch_legacy(value, {})), "model: found no data of storage '0'");
  EXPECT_EQ(error_of(torch_legacy(value, {{"1", 6, kSixFloats}})),
            "model: found storage '1' in the list of storages, allowed: those of the state_dict, "
            "once");
  EXPECT_EQ(error_of(torch_legacy(value, {{"0", 6, kSixFloats}, {"0", 6, kSixFloats}})),
            "model: found storage '0' in the list of storages, allowed: those of the state_dict, "
            "once");
  EXPECT_EQ(error_of(torch_legacy(value, {{"0", 5, kSixFloats}})),
            "model: found 5 elements of storage '0' and 24 bytes for them, expected 6 elements of "
            "float32");
  EXPECT_EQ(error_of(torch_legacy(value, {{"0", 6, floats({1, 2})}})),
            "model: found 6 elements of storage '0' and 8 bytes for them, expected 6 elements of "
            "float32");
  EXPECT_EQ(error_of(torch_legacy(value, {{"0", 6, kSixFloats}}) + "x"),
            "model: found 1 bytes after the last storage, allowed: none");
  TensorFields half = of;
  half.type = "HalfStorage";
  EXPECT_EQ(error_of(torch_legacy(dict({text("a"), tensor(of), text("b"), tensor(half)}),
                                  {{"0", 6, kSixFloats}})),
            "model: found storage '0' as 6 elements of float32 and as 6 of float16, allowed: one "
            "of both");
}

}  // namespace
}  // namespace refran::marian
