// How values are made, found and compared.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <refran/value.h>

namespace refran {
namespace {

TEST(OriginTest, NamesWhatIsKnownOfThePlace) {
  const auto source = std::make_shared<const std::string>("x.yaml");
  EXPECT_EQ((Origin{source, 12, 5}).to_string(), "x.yaml:12:5");
  EXPECT_EQ((Origin{source, 0, 0}).to_string(), "x.yaml");
  EXPECT_EQ(Origin{}.to_string(), "");
}

TEST(ValueTest, SpellsIntegersInFull) {
  EXPECT_EQ(Value::integer(std::numeric_limits<std::int64_t>::min()).text, "-9223372036854775808");
  EXPECT_EQ(Value::integer(std::numeric_limits<std::uint64_t>::max()).text, "18446744073709551615");
  EXPECT_EQ(Value::integer(std::int64_t{0}).kind, Value::Kind::integer);
}

TEST(ValueTest, SpellsRealNumbersShortAndWithAPoint) {
  EXPECT_EQ(Value::real(1).text, "1.0");
  EXPECT_EQ(Value::real(-0.0).text, "-0.0");
  EXPECT_EQ(Value::real(0.1).text, "0.1");
  EXPECT_EQ(Value::real(1e22).text, "1.0e+22");
  EXPECT_EQ(Value::real(2.5e-7).text, "2.5e-07");
  EXPECT_EQ(Value::real(std::numeric_limits<double>::denorm_min()).text, "5.0e-324");
  EXPECT_EQ(Value::real(std::numeric_limits<double>::max()).text, "1.7976931348623157e+308");
}

TEST(ValueTest, SpellsInfinityAndNanAsYamlDoes) {
  EXPECT_EQ(Value::real(std::numeric_limits<double>::infinity()).text, ".inf");
  EXPECT_EQ(Value::real(-std::numeric_limits<double>::infinity()).text, "-.inf");
  EXPECT_EQ(Value::real(std::nan("")).text, ".nan");
}

TEST(ValueTest, FindsTheEntriesOfAMap) {
  Value map = Value::map();
  map["a"] = Value::boolean(true);
  ASSERT_NE(map.find("a"), nullptr);
  EXPECT_EQ(map.find("a")->text, "true");
  EXPECT_EQ(std::as_const(map).find("b"), nullptr);
  EXPECT_EQ(Value::string("a").find("a"), nullptr);
}

TEST(ValueTest, AppendsAMissingEntryAsNull) {
  Value value;
  value["a"];
  value["b"] = Value::string("x");
  value["a"] = Value::list();
  EXPECT_EQ(value.kind, Value::Kind::map);
  ASSERT_EQ(value.entries.size(), 2U);
  EXPECT_EQ(value.entries[0].key, "a");
  EXPECT_EQ(value.entries[0].value.kind, Value::Kind::list);
  EXPECT_EQ(value.entries[1].value.text, "x");
}

TEST(ValueTest, ComparesTreesButNotOrigins) {
  Value a = Value::map();
  a["words"] = Value::list();
  a["words"].items.push_back(Value::string("tía"));
  Value b = a;
  b["words"].origin.line = 7;
  EXPECT_EQ(a, b);
  b["words"].items.push_back({});
  EXPECT_FALSE(a == b);
}

TEST(ValueTest, TellsKindsSpellingsAndTheOrderOfKeysApart) {
  EXPECT_FALSE(Value::string("1") == Value::integer(std::int64_t{1}));
  EXPECT_FALSE(Value::real(1) == Value::integer(std::int64_t{1}));
  EXPECT_FALSE(Value::list() == Value::map());
  Value ab;
  ab["a"];
  ab["b"];
  Value ba;
  ba["b"];
  ba["a"];
  EXPECT_FALSE(ab == ba);
  Value a;
  a["a"];
  EXPECT_FALSE(ab == a);
}

TEST(ValueTest, NamesItsKinds) {
  EXPECT_EQ(name_of(Value::Kind::null), "nothing");
  EXPECT_EQ(name_of(Value::Kind::boolean), "a boolean");
  EXPECT_EQ(name_of(Value::Kind::integer), "an integer");
  EXPECT_EQ(name_of(Value::Kind::real), "a number");
  EXPECT_EQ(name_of(Value::Kind::text), "a text");
  EXPECT_EQ(name_of(Value::Kind::list), "a list");
  EXPECT_EQ(name_of(Value::Kind::map), "a map");
}

}  // namespace
}  // namespace refran
