// How fields are declared, and filled from resolved values.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <refran/config.h>

namespace refran {
namespace {

struct Word {
  std::string text;
  std::vector<double> point;
  void describe(Fields& field) {
    field("text", text, "The word itself").required();
    field("point", point, "Where it is").items(2, 2);
  }
};

struct Config {
  bool verbose = true;
  std::int32_t heads = 4;
  std::uint64_t count = 9;
  double rate = 0.5;
  std::string scoring = "dot";
  std::filesystem::path vectors = "v.txt";
  std::vector<Word> words;
  Map<double> weights = {{"z", 1}, {"a", 2}};
  OneOrList<double> scale = 0.25;
  std::optional<int> threads;
  Word start;

  void describe(Fields& field) {
    field("verbose", verbose, "Say more");
    field("heads", heads, "Attention heads").range(1, 16);
    field("count", count, "Items").at_least(1);
    field("rate", rate, "Learning rate").unit("1/step").above(0);
    field("scoring", scoring, "How scores are made").one_of({"dot", "scaled-dot"});
    field("vectors", vectors, "File of vectors").existing_file();
    field("words", words, "The sentence").items(1);
    field("weights", weights, "A weight per name");
    field("scale", scale, "One, or one per word");
    field("threads", threads, "Threads to use");
    field("start", start, "Where the summary starts");
  }
};

std::vector<Field> declarations() {
  std::vector<Field> fields;
  Fields collector(&fields);
  Config config;
  config.describe(collector);
  return fields;
}

Field declaration(const std::string& name) {
  for (const Field& field : declarations()) {
    if (field.name == name) return field;
  }
  throw std::logic_error("no field " + name);
}

Value real_list(const std::vector<double>& numbers) {
  Value list = Value::list();
  for (const double number : numbers) list.items.push_back(Value::real(number));
  return list;
}

TEST(FieldsTest, CollectsNamesWordsAndTypesInOrder) {
  const std::vector<Field> fields = declarations();
  ASSERT_EQ(fields.size(), 11U);
  EXPECT_EQ(fields[0].name, "verbose");
  EXPECT_EQ(fields[0].doc, "Say more");
  EXPECT_EQ(fields[0].type, FieldType::boolean);
  EXPECT_EQ(fields[5].type, FieldType::path);
  EXPECT_EQ(fields[6].type, FieldType::list);
  EXPECT_EQ(fields[6].fields.front().type, FieldType::group);
  EXPECT_EQ(fields[6].fields.front().fields[1].name, "point");
  EXPECT_EQ(fields[7].type, FieldType::map);
  EXPECT_EQ(fields[7].fields.front().type, FieldType::real);
  EXPECT_EQ(fields[10].type, FieldType::group);
}

TEST(FieldsTest, KeepsTheSizeAndSignOfIntegers) {
  EXPECT_EQ(declaration("heads").integer_bits, 32);
  EXPECT_TRUE(declaration("heads").integer_signed);
  EXPECT_EQ(declaration("count").integer_bits, 64);
  EXPECT_FALSE(declaration("count").integer_signed);
}

TEST(FieldsTest, TakesDefaultsFromTheMembers) {
  EXPECT_EQ(declaration("verbose").default_value, Value::boolean(true));
  EXPECT_EQ(declaration("heads").default_value, Value::integer(std::int64_t{4}));
  EXPECT_EQ(declaration("rate").default_value, Value::real(0.5));
  EXPECT_EQ(declaration("vectors").default_value, Value::string("v.txt"));
  EXPECT_EQ(declaration("words").default_value, Value::list());
  EXPECT_EQ(declaration("scale").default_value, Value::real(0.25));
  EXPECT_EQ(declaration("threads").default_value, Value::string("auto"));
  EXPECT_EQ(declaration("weights").default_value.entries[0].key, "z");
  Value start = Value::map();
  start["point"] = Value::list();  // `text` is required, so it has no default
  EXPECT_EQ(declaration("start").default_value, start);
}

TEST(FieldRulesTest, AreKeptWithTheirField) {
  const Field heads = declaration("heads");
  EXPECT_EQ(heads.minimum, 1);
  EXPECT_EQ(heads.maximum, 16);
  EXPECT_FALSE(heads.minimum_excluded);
  EXPECT_EQ(declaration("count").minimum, 1);
  EXPECT_FALSE(declaration("count").maximum.has_value());
  EXPECT_EQ(declaration("rate").minimum, 0);
  EXPECT_TRUE(declaration("rate").minimum_excluded);
  EXPECT_EQ(declaration("rate").unit, "1/step");
  EXPECT_EQ(declaration("scoring").choices, (std::vector<std::string>{"dot", "scaled-dot"}));
  EXPECT_EQ(declaration("vectors").path_kind, PathKind::existing_file);
  EXPECT_EQ(declaration("words").min_items, 1U);
  EXPECT_FALSE(declaration("words").max_items.has_value());
  EXPECT_TRUE(declaration("scale").one_or_list);
  EXPECT_TRUE(declaration("threads").optional);
}

TEST(FieldRulesTest, RequiredFieldsHaveNoDefault) {
  Field field;
  field.default_value = Value::string("x");
  FieldRules(&field).required().existing_folder();
  EXPECT_TRUE(field.required);
  EXPECT_EQ(field.default_value, Value{});
  EXPECT_EQ(field.path_kind, PathKind::existing_folder);
}

Value resolved_config() {
  Value word = Value::map();
  word["text"] = Value::string("tía");
  word["point"] = real_list({1, 0});
  Value value = Value::map();
  value["verbose"] = Value::boolean(false);
  value["heads"] = Value::integer(std::int64_t{-2});
  value["count"] = Value::integer(std::uint64_t{18446744073709551615U});
  value["rate"] = Value::real(1e-3);
  value["scoring"] = Value::string("scaled-dot");
  value["vectors"] = Value::string("/data/v.txt");
  value["words"].kind = Value::Kind::list;
  value["words"].items = {word, word};
  value["weights"]["b"] = Value::real(3);
  value["scale"] = real_list({1, 2});
  value["threads"] = Value::integer(std::int64_t{8});
  value["start"] = word;
  return value;
}

TEST(FieldsTest, FillsTheMembersFromResolvedValues) {
  const Value value = resolved_config();
  Config config;
  Fields reader(&value);
  config.describe(reader);
  EXPECT_FALSE(config.verbose);
  EXPECT_EQ(config.heads, -2);
  EXPECT_EQ(config.count, 18446744073709551615U);
  EXPECT_EQ(config.rate, 1e-3);
  EXPECT_EQ(config.scoring, "scaled-dot");
  EXPECT_EQ(config.vectors, "/data/v.txt");
  ASSERT_EQ(config.words.size(), 2U);
  EXPECT_EQ(config.words[1].text, "tía");
  EXPECT_EQ(config.words[1].point, (std::vector<double>{1, 0}));
  ASSERT_EQ(config.weights.size(), 1U);
  EXPECT_EQ(config.weights[0].first, "b");
  EXPECT_TRUE(config.scale.is_list);
  EXPECT_EQ(config.scale[1], 2);
  EXPECT_EQ(config.threads, 8);
  EXPECT_EQ(config.start.text, "tía");
}

TEST(FieldsTest, ReadsOneForEveryIndexAndAutoAsNothing) {
  Value value = resolved_config();
  value["scale"] = Value::real(0.75);
  value["threads"] = Value::string("auto");
  Config config;
  config.threads = 3;
  Fields reader(&value);
  config.describe(reader);
  EXPECT_FALSE(config.scale.is_list);
  EXPECT_EQ(config.scale[5], 0.75);
  EXPECT_FALSE(config.threads.has_value());
}

std::string logic_error_of(const Value& value) {
  Config config;
  Fields reader(&value);
  try {
    config.describe(reader);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(FieldsTest, RefusesValuesThatWereNotValidated) {
  EXPECT_EQ(logic_error_of(Value::map()),
            "config field 'verbose' was left out of the resolved config");
  Value value = resolved_config();
  value["heads"] = Value::string("4x");
  EXPECT_EQ(logic_error_of(value),
            "config value '4x' was validated as something else than an integer");
  value = resolved_config();
  value["verbose"] = Value::string("yes");
  EXPECT_EQ(logic_error_of(value),
            "config value 'yes' was validated as something else than a boolean");
}

TEST(SchemaTest, NamesElementsAndLevels) {
  EXPECT_EQ(name_of(Element::float32), "float32");
  EXPECT_EQ(name_of(Element::text), "text");
  EXPECT_EQ(size_of(Element::int32), 4U);
  EXPECT_EQ(size_of(Element::float64), 8U);
  EXPECT_EQ(size_of(Element::text), 0U);
  EXPECT_EQ(name_of(Reproducibility::bitwise), "bitwise");
  EXPECT_EQ(name_of(Reproducibility::same_machine), "same machine");
  EXPECT_EQ(name_of(Reproducibility::close), "close");
}

}  // namespace
}  // namespace refran
