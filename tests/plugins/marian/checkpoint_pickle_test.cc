// The restricted unpickler: which values it builds, and what it refuses to read on.
#include <string>

#include <gtest/gtest.h>
#include <marian/checkpoint/pickle.h>

#include "checkpoint_files.h"
#include "torch_files.h"

namespace refran::marian {
namespace {

using files::global;
using files::integer;
using files::pickle_file;
using files::text;

pickle::Tree read(std::string_view bytes) {
  const FileBytes file = files::file(bytes);
  Cursor cursor(file, "the pickle", file.bytes);
  return pickle::read(cursor);
}

std::string pickle_error(const std::string& operations) {
  return files::error_of("\x80\x02" + operations,
                         [](const FileBytes& file) { read(text_of(file.bytes)); });
}

template <class T>
T value_of(const std::string& operations) {
  const std::string bytes = pickle_file(operations);
  const pickle::Tree tree = read(bytes);
  const T* const value = tree.get<T>(tree.root);
  if (value == nullptr) throw std::runtime_error("a value of another kind");
  return *value;
}

TEST(PickleTest, ReadsNumbers) {
  EXPECT_EQ(value_of<std::int64_t>("K\xFF"), 255);
  EXPECT_EQ(value_of<std::int64_t>("M\x01\x02"), 0x0201);
  EXPECT_EQ(value_of<std::int64_t>("J\xFE\xFF\xFF\xFF"), -2);
  EXPECT_EQ(value_of<std::int64_t>(std::string("\x8a\x00", 2)), 0);
  EXPECT_EQ(value_of<std::int64_t>("\x8a\x01\xFF"), -1);
  EXPECT_EQ(value_of<std::int64_t>(std::string("\x8a\x05\x00\x00\x00\x00\x01", 7)), 1LL << 32);
  EXPECT_EQ(value_of<std::int64_t>("\x8a\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"), INT64_MAX);
  EXPECT_EQ(value_of<double>(std::string("G\x3F\xF8\0\0\0\0\0\0", 9)), 1.5);
  EXPECT_TRUE(value_of<bool>("\x88"));
  EXPECT_FALSE(value_of<bool>("\x89"));
}

TEST(PickleTest, ReadsTextsOfEveryForm) {
  for (const std::string& operations : {text("ab"),
                                        std::string("U\x02"
                                                    "ab"),
                                        std::string("T\x02\0\0\0ab", 7),
                                        std::string("\x8c\x02"
                                                    "ab")}) {
    const std::string bytes = pickle_file(operations);
    const pickle::Tree tree = read(bytes);
    EXPECT_EQ(*tree.get<std::string_view>(tree.root), "ab");
  }
}

TEST(PickleTest, ReadsTuplesListsAndDicts) {
  EXPECT_TRUE(value_of<pickle::Tuple>(")").items.empty());
  EXPECT_EQ(value_of<pickle::Tuple>("N\x85").items.size(), 1U);
  EXPECT_EQ(value_of<pickle::Tuple>("NN\x86").items.size(), 2U);
  EXPECT_EQ(value_of<pickle::Tuple>("NNN\x87").items.size(), 3U);
  EXPECT_EQ(value_of<pickle::Tuple>("(NNNNt").items.size(), 4U);
  EXPECT_EQ(value_of<pickle::List>("]Na(NNe").items.size(), 3U);
  EXPECT_EQ(value_of<pickle::Dict>("}K\x01Ns(K\x02NK\x03Nu").items.size(), 3U);
  EXPECT_EQ(value_of<std::int64_t>("K\x01N0"), 1);  // what is taken away again
}

TEST(PickleTest, KeepsValuesInItsMemo) {
  const auto tuple = value_of<pickle::Tuple>("(Nq\x05h\x05r\x01\x02\x03\x04j\x01\x02\x03\x04t");
  EXPECT_EQ(tuple.items, (std::vector<pickle::Index>{0, 0, 0}));
  // Protocol 4 numbers what it stores by itself.
  const std::string framed = std::string("\x80\x04\x95\x09\0\0\0\0\0\0\0", 11) + "(N\x94N\x94" +
                             std::string("h\0h\1t.", 6);
  const pickle::Tree tree = read(framed);
  EXPECT_EQ(tree.get<pickle::Tuple>(tree.root)->items, (std::vector<pickle::Index>{0, 1, 0, 1}));
}

TEST(PickleTest, KnowsTheGlobalsOfAStateDict) {
  const auto storage = value_of<pickle::Global>(global("torch", "BFloat16Storage"));
  EXPECT_EQ(storage.kind, pickle::Global::Kind::storage);
  EXPECT_EQ(storage.type, StoredType::bfloat16);
  EXPECT_TRUE(value_of<pickle::Dict>(files::ordered_dict()).is_ordered);
  EXPECT_EQ(value_of<pickle::Call>(global("torch._utils", "_rebuild_parameter") + ")R").function,
            pickle::Global::Kind::rebuild_parameter);
  EXPECT_EQ(value_of<pickle::Global>(text("torch") + text("HalfStorage") + "\x93").type,
            StoredType::float16);
}

TEST(PickleTest, NamesAForbiddenGlobalAndRunsNothing) {
  const std::string allowed =
      " in the pickle, allowed: collections.OrderedDict, torch._utils._rebuild_tensor_v2, "
      "torch._utils._rebuild_parameter and torch's storages; nothing of the file was run";
  EXPECT_EQ(pickle_error(global("posix", "system") + text("touch /tmp/x") + "\x85R."),
            "model: found the global 'posix.system'" + allowed);
  EXPECT_EQ(pickle_error(text("builtins") + text("eval") + "\x93."),
            "model: found the global 'builtins.eval'" + allowed);
  EXPECT_EQ(pickle_error(global("torch", "CudaStorage") + "."),
            "model: found the global 'torch.CudaStorage'" + allowed);
  EXPECT_EQ(pickle_error(global("torch._utils", "_rebuild_tensor_v2.__globals__") + "."),
            "model: found the global 'torch._utils._rebuild_tensor_v2.__globals__'" + allowed);
}

TEST(PickleTest, RefusesOperationsThatNoStateDictNeeds) {
  for (const char operation : std::string("ioIFLSVpgPld2\x81\x82\x92\x8b\x8f\x96 ")) {
    EXPECT_EQ(pickle_error("N" + std::string(1, operation)),
              fmt::format("model: found operation 0x{:02x} at byte 3 of the pickle, allowed: what "
                          "a state_dict needs; nothing of the file was run",
                          static_cast<unsigned char>(operation)));
  }
}

TEST(PickleTest, RefusesWhatItsStackOrMemoDoesNotHold) {
  const auto damaged = [](std::string_view found, int byte) {
    return fmt::format("model: found {} in the pickle (byte {}), which is damaged or no state_dict",
                       found, byte);
  };
  EXPECT_EQ(pickle_error("."), damaged("an empty stack", 3));
  EXPECT_EQ(pickle_error("0"), damaged("an empty stack", 3));
  EXPECT_EQ(pickle_error("N\x86"), damaged("an empty stack", 4));
  EXPECT_EQ(pickle_error("N(\x85"), damaged("an empty stack", 5));  // not below a mark
  EXPECT_EQ(pickle_error("q\x01"), damaged("an empty stack", 3));
  EXPECT_EQ(pickle_error("t"), damaged("no mark", 3));
  EXPECT_EQ(pickle_error("]e"), damaged("no mark", 4));
  EXPECT_EQ(pickle_error("h\x07"), damaged("memo 7 before it was stored", 4));
  EXPECT_EQ(pickle_error("NN."), damaged("more than one value at its end", 5));
  EXPECT_EQ(pickle_error("NNa"), damaged("an item for what is no list", 5));
  EXPECT_EQ(pickle_error("NNNs"), damaged("an entry for what is no dict", 6));
  EXPECT_EQ(pickle_error("}(Nu"), damaged("a key without a value", 6));
  EXPECT_EQ(pickle_error("N)R"), damaged("a call of what is no function", 5));
  EXPECT_EQ(pickle_error(global("torch", "IntStorage") + ")R"),
            damaged("a call of what is no function", 22));
  EXPECT_EQ(pickle_error(global("collections", "OrderedDict") + "]\x85R"),
            damaged("an OrderedDict made of arguments", 30));
  EXPECT_EQ(pickle_error("}}b"), damaged("attributes of what is no OrderedDict", 5));
  EXPECT_EQ(pickle_error("NN\x93"), damaged("a global whose name is no text", 5));
  EXPECT_EQ(pickle_error("\x80\x07"), damaged("pickle protocol 7", 4));
}

TEST(PickleTest, RefusesTextsBeyondTheFileBeforeItAllocates) {
  EXPECT_EQ(pickle_error("X\xFF\xFF\xFF\x7F"
                         "ab"),
            "model: found the end of the pickle after 9 bytes, expected 2147483645 more");
  EXPECT_EQ(pickle_error("ctorch"),
            "model: found the end of the pickle after 8 bytes, within a line");
  EXPECT_EQ(pickle_error("N"), "model: found the end of the pickle after 3 bytes, expected 1 more");
}

TEST(PickleTest, RefusesDeepValues) {
  const auto deep = [](int byte) {
    return fmt::format(
        "model: found values nested deeper than 100 in the pickle (byte {}), which "
        "is damaged or no state_dict",
        byte);
  };
  EXPECT_EQ(pickle_error(")" + std::string(100, '\x85') + "."), "");
  EXPECT_EQ(pickle_error(")" + std::string(101, '\x85') + "."), deep(104));
  EXPECT_EQ(pickle_error(std::string(100'000, '(')), deep(103));
  std::string lists = "]";
  for (int i = 0; i < 101; ++i)
    lists +=
        "q\x01]h\x01"
        "a";  // each the item of the next
  EXPECT_EQ(pickle_error(lists + "."), deep(609));
}

TEST(PickleTest, RefusesMoreOperationsThanAnyModelHas) {
  std::string many;
  for (int i = 0; i < 500'000; ++i) many += "N0";
  EXPECT_EQ(pickle_error(many + "N."),
            "model: found more than 1000000 operations in the pickle (byte 1000001), which is "
            "damaged or no state_dict");
}

}  // namespace
}  // namespace refran::marian
