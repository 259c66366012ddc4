// What YAML is read, written and refused, with the whole text of every refusal.
#include "yaml.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config_error.h"
#include "json_value.h"

namespace refran::runner {
namespace {

Value parse(const std::string& text) { return parse_yaml(text, "x.yaml"); }

std::string parse_error(const std::string& text) {
  return config_error([&] { parse(text); });
}

std::string argument_error(const std::string& text) {
  return config_error([&] { parse_yaml_value(text, "command line: config.x=" + text); });
}

Value scalar_of(const std::string& spelling) { return *parse("x: " + spelling).find("x"); }

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(YamlScalarTest, ReadsNumbersByTheCoreSchema) {
  for (const char* spelling : {"0", "7", "-12", "18446744073709551615", "-0"}) {
    EXPECT_EQ(scalar_of(spelling).kind, Value::Kind::integer) << spelling;
    EXPECT_EQ(scalar_of(spelling).text, spelling);
  }
  for (const char* spelling : {"0.5", "-1.5", "1e-3", "2E5", ".5", "5.", "1.0e+22", "-.5e1"}) {
    EXPECT_EQ(scalar_of(spelling).kind, Value::Kind::real) << spelling;
    EXPECT_EQ(scalar_of(spelling).text, spelling);
  }
  EXPECT_EQ(scalar_of(".Inf"), Value::real(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(scalar_of("-.inf"), Value::real(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(scalar_of(".NAN"), Value::real(std::nan("")));
}

TEST(YamlScalarTest, ReadsWhatReadersDisagreeAboutAsText) {
  for (const char* spelling : {"010", "-010", "00.5", "0x1F", "0o17", "1_000", "+5", "1:30", "yes",
                               "no", "on", "Off", "1e", "e5", ".", "2001-01-01", "nan", "inf"}) {
    EXPECT_EQ(scalar_of(spelling), Value::string(spelling));
  }
}

TEST(YamlScalarTest, ReadsBooleansNullsAndQuotedTexts) {
  for (const char* spelling : {"true", "True", "TRUE"}) {
    EXPECT_EQ(scalar_of(spelling), Value::boolean(true));
  }
  EXPECT_EQ(scalar_of("false"), Value::boolean(false));
  for (const char* spelling : {"~", "null", "Null", "NULL", ""}) {
    EXPECT_EQ(scalar_of(spelling), Value{}) << spelling;
  }
  EXPECT_EQ(scalar_of("'5'"), Value::string("5"));
  EXPECT_EQ(scalar_of("\"true\""), Value::string("true"));
  EXPECT_EQ(scalar_of("''"), Value::string(""));
  EXPECT_EQ(scalar_of("'it''s'"), Value::string("it's"));
  EXPECT_EQ(scalar_of("\"a\\n\\u00f1\""), Value::string("a\nñ"));
  EXPECT_EQ(scalar_of("|\n  a\n  b\n"), Value::string("a\nb\n"));
}

TEST(YamlTest, KnowsWhereValuesAndKeysAreWritten) {
  const Value root = parse("experiment: toy\nconfig:\n  words: [tía, 'miña']\n  rate:\n");
  const Value& words = *root.find("config")->find("words");
  EXPECT_EQ(root.entries[1].origin.to_string(), "x.yaml:2:1");
  EXPECT_EQ(root.find("config")->origin.to_string(), "x.yaml:3:3");
  EXPECT_EQ(words.origin.to_string(), "x.yaml:3:10");
  EXPECT_EQ(words.items[1].origin.to_string(), "x.yaml:3:16");  // in characters, not bytes
  EXPECT_EQ(root.find("config")->find("rate")->origin.to_string(), "x.yaml:4:3");
}

TEST(YamlTest, ReadsAFileWithByteOrderMarkAndWindowsLines) {
  const Value root = parse(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: [2]\r\n");
  EXPECT_EQ(*root.find("a"), Value::integer(std::int64_t{1}));
  EXPECT_EQ(root.entries[0].origin.to_string(), "x.yaml:1:1");
  EXPECT_EQ(root.entries[1].value.items[0].origin.to_string(), "x.yaml:2:5");
}

TEST(YamlTest, ExpandsAliasesWithinReason) {
  EXPECT_EQ(parse("a: &point [1, 2]\nb: *point\n"), parse("a: [1, 2]\nb: [1, 2]\n"));
  EXPECT_EQ(parse("a: &x 1\nb: &x 2\nc: *x\n"), parse("a: 1\nb: 2\nc: 2\n"));
}

TEST(YamlErrorTest, ReportsEveryDuplicateKeyWithBothPlaces) {
  EXPECT_EQ(parse_error("seed: 1\nconfig:\n  words:\n    - {x: 1, x: 2}\n  rate: 1\nseed: 2\n"),
            "x.yaml:4:14: config.words[0].x: found a second time, allowed: once; the first is at "
            "x.yaml:4:8\n"
            "x.yaml:6:1: seed: found a second time, allowed: once; the first is at x.yaml:1:1");
}

TEST(YamlErrorTest, KeepsTheFirstOfDuplicateKeysForFurtherChecks) {
  Diagnostics diagnostics;
  EXPECT_EQ(parse_yaml("a: 1\na: 2\nb: 3\n", "x.yaml", diagnostics), parse("a: 1\nb: 3\n"));
  EXPECT_EQ(diagnostics.size(), 1U);
}

TEST(YamlErrorTest, ReportsTabsAsIndentation) {
  const std::string text =
      "found a tab in the indentation, allowed: spaces; indent every level by two spaces";
  EXPECT_EQ(parse_error("config:\n\tsteps: 5\n"), "x.yaml:2:2: " + text);
  EXPECT_EQ(parse_error("config:\n  steps: 5\n\trate: 1\n"), "x.yaml:3:1: " + text);
  EXPECT_EQ(parse_error("words:\n\t- a\n"), "x.yaml:2:2: " + text);
  EXPECT_EQ(parse_error("words:\n  - a\n\t- b\n"), "x.yaml:3:1: " + text);
  EXPECT_EQ(parse("a: [1,\n\t2]\nb:\t3\n"), parse("a: [1, 2]\nb: 3\n"));
}

TEST(YamlErrorTest, ReportsAnEmptyFile) {
  for (const char* text : {"", "# nothing but a comment\n", "---\n", "\n\n"}) {
    EXPECT_EQ(parse_error(text),
              "x.yaml: found an empty file, allowed: a map that begins with 'experiment: NAME'");
  }
}

TEST(YamlErrorTest, ReportsBytesThatAreNoText) {
  EXPECT_EQ(parse_error("a: 1\nb: mi\xF1"
                        "a\n"),
            "x.yaml:2:6: found the byte 0xf1, which is not UTF-8; save the text as UTF-8");
  EXPECT_EQ(parse_error("\xFF\xFE"
                        "a"),
            "x.yaml:1:1: found the byte 0xff, which is not UTF-8; save the text as UTF-8");
  EXPECT_EQ(parse_error(std::string("a: \0b\n", 6)),
            "x.yaml:1:4: found the control character 0x00; write it as \"\\x00\" in double quotes");
}

TEST(YamlErrorTest, RefusesTagsMergeKeysAndSeveralDocuments) {
  const std::string tag =
      "found a tag ('!'), allowed: none, since fields declare their types; quote "
      "a text that begins with '!'";
  EXPECT_EQ(parse_error("a: !!str 5\n"), "x.yaml:1:4: " + tag);
  EXPECT_EQ(parse_error("a: ! 5\n"), "x.yaml:1:4: " + tag);
  EXPECT_EQ(parse_error("a: &x !mine [1]\n"), "x.yaml:1:4: " + tag);
  EXPECT_EQ(parse_error("a: &x {b: 1}\nc:\n  <<: *x\n"),
            "x.yaml:3:3: found a merge key ('<<'), allowed: none; write the keys out");
  EXPECT_EQ(parse_error("a: 1\n---\nb: 2\n"),
            "x.yaml:2:1: found a second document, allowed: one in a file");
}

TEST(YamlErrorTest, RefusesKeysThatAreNoText) {
  EXPECT_EQ(parse_error("[1, 2]: 3\n"), "x.yaml:1:1: found a list as a key, allowed: a text");
  EXPECT_EQ(parse_error("? {a: 1}\n: 3\n"), "x.yaml:1:3: found a map as a key, allowed: a text");
  EXPECT_EQ(parse_error(": 3\n"), "x.yaml:1:1: found no key before ':', allowed: 'key: value'");
  EXPECT_EQ(parse_error("a: &x b\n*x : 3\n"),
            "x.yaml:2:1: found an alias as a key, allowed: a text");
  EXPECT_EQ(parse_error("a: 1\nsteps 500\n"),
            "x.yaml:2:1: found 'steps 500' without ':' behind it, allowed: 'key: value'");
}

TEST(YamlErrorTest, RefusesAliasBombsBeforeTheyExpand) {
  std::string bomb = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (char name = 'b'; name < 'z'; ++name) {
    const std::string alias = "*" + std::string(1, static_cast<char>(name - 1));
    bomb += std::string(1, name) + ": &" + name + " [" + alias + repeated(", " + alias, 9) + "]\n";
  }
  EXPECT_EQ(parse_error(bomb), "x.yaml:5:36: found aliases that expand to more than 100000 values");
  EXPECT_EQ(
      parse_error("a: &a " + std::string(100'000, 'x') + "\nb: [" + repeated("*a, ", 1000) + "]\n"),
      "x.yaml:2:1025: found aliases that expand to more than 100000 values");
  EXPECT_EQ(parse_error("a: &a [*a]\n"), "x.yaml:1:8: found an alias of a value inside that value");
}

TEST(YamlErrorTest, RefusesDeepNesting) {
  EXPECT_EQ(parse("a: " + repeated("[", 63) + repeated("]", 63)).kind, Value::Kind::map);
  EXPECT_EQ(parse_error("a: " + repeated("[", 64) + repeated("]", 64)),
            "x.yaml:1:67: found values nested deeper than 64 levels");
  EXPECT_EQ(parse_error("a: " + repeated("[", 100'000) + repeated("]", 100'000)),
            "x.yaml:1:67: found values nested deeper than 64 levels");
  EXPECT_EQ(parse_error("a: &a " + repeated("[", 40) + repeated("]", 40) +
                        "\nb: " + repeated("[", 40) + "*a" + repeated("]", 40)),
            "x.yaml:2:44: found values nested deeper than 64 levels");
  EXPECT_EQ(parse_error(repeated("[", 100'000)), "x.yaml:1:1: found no ']' that closes this '['");
  EXPECT_EQ(parse_error(repeated("- ", 100'000)),
            "x.yaml:1:129: found values nested deeper than 64 levels");
}

TEST(YamlErrorTest, SaysInItsOwnWordsWhatIsNoYaml) {
  EXPECT_EQ(
      parse_error("a: [1, 2\nb: 3\n"),
      "x.yaml:2:2: found no end of the list that begins at x.yaml:1:4; close its bracket, and "
      "put commas between its items");
  EXPECT_EQ(parse_error("a: {b: 1"),
            "x.yaml:1:9: found no end of the map that begins at x.yaml:1:4; close its bracket, and "
            "put commas between its items");
  EXPECT_EQ(parse_error("a: \"abc\nb: 1\n"),
            "x.yaml:1:4: found a text whose closing quote is missing");
  EXPECT_EQ(parse_error("a: 'it''\n"), "x.yaml:1:4: found a text whose closing quote is missing");
  EXPECT_EQ(parse_error("a: b: c\n"),
            "x.yaml:1:5: found ': ' where no value can follow; check the indentation, and quote a "
            "text that contains ': '");
  EXPECT_EQ(parse_error("a: 1\n  b: 2\n"),
            "x.yaml:2:4: found ': ' where no value can follow; check the indentation, and quote a "
            "text that contains ': '");
  EXPECT_EQ(parse_error("a: @x\n"),
            "x.yaml:1:4: found '@', which cannot begin a value; quote the text");
  EXPECT_EQ(parse_error("a: *x\n"),
            "x.yaml:1:4: found an alias of an anchor that is nowhere before it");
  EXPECT_EQ(
      parse_error("a: \"\\q\"\n"),
      "x.yaml:1:7: found an unknown escape in double quotes; write '\\\\' for a backslash, or "
      "use single quotes");
  EXPECT_EQ(parse_error("a: - 1\n"),
            "x.yaml:1:4: found '- ' where no list item can stand; check the indentation, or write "
            "[a, list]");
  EXPECT_EQ(parse_error("a: 1\n- b\n"),
            "x.yaml:2:1: found something else among the keys of a map, allowed: 'key: value', "
            "indented alike");
  EXPECT_EQ(
      parse_error("- a\nb: 1\n"),
      "x.yaml:2:1: found more text behind the end of the value; check the indentation and the "
      "quotes");
}

TEST(YamlFileTest, ReportsWhatIsNoFile) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string missing = (folder / "refran_yaml_test_missing.yaml").string();
  EXPECT_EQ(config_error([&] { read_yaml_file(missing); }), missing + ": found no such file");
  EXPECT_EQ(config_error([&] { read_yaml_file(folder); }),
            folder.string() + ": found a folder, allowed: a YAML file");
}

TEST(YamlFileTest, ReadsAFile) {
  const auto file = std::filesystem::temp_directory_path() / "refran_yaml_test.yaml";
  std::ofstream(file) << "a: [1, x]\n";
  EXPECT_EQ(read_yaml_file(file), parse("a: [1, x]"));
  std::filesystem::remove(file);
}

TEST(YamlArgumentTest, TakesScalarsAndFlowCollections) {
  EXPECT_EQ(parse_yaml_value("0.5", "s"), Value::real(0.5));
  EXPECT_EQ(parse_yaml_value("[1, {a: x y}]", "s"), *parse("a: [1, {a: x y}]").find("a"));
  EXPECT_EQ(parse_yaml_value("", "s"), Value{});
  EXPECT_EQ(parse_yaml_value("a, b", "s"), Value::string("a, b"));
  EXPECT_EQ(parse_yaml_value("---", "s"), Value::string("---"));
  EXPECT_EQ(parse_yaml_value("0.5", "s").origin.to_string(), "s");
}

TEST(YamlArgumentTest, RefusesBlockStyleAndUnfinishedValues) {
  EXPECT_EQ(
      argument_error("a: b"),
      "command line: config.x=a: b: found a map without brackets, allowed: one value, [a, list] "
      "or {a: map}; quote a text that contains ': ' or begins with '- '");
  EXPECT_EQ(argument_error("[1, 2"),
            "command line: config.x=[1, 2: found no ']' that closes this '['");
  EXPECT_EQ(argument_error("'a"),
            "command line: config.x='a: found a text whose closing quote is missing");
  EXPECT_EQ(argument_error("%d"),
            "command line: config.x=%d: found '%', which cannot begin a value; quote the text");
  EXPECT_EQ(argument_error("a\x04"
                           "b"),
            "command line: config.x=a\x04"
            "b: found the control character 0x04; write it as \"\\x04\" "
            "in double quotes");
}

// Seeded random UTF-8: letters that mean something in YAML, control characters, other scripts.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> letters{
      "a",  "Z",          "0",      " ",      " ",      "'",    "\"",  "\\",  "|",      "%",
      "@",  "&",          "*",      "!",      ":",      ": ",   "#",   " #",  "- ",     "\n",
      "\r", "\t",         "{",      "]",      "\x01",   "\x7f", "ñ",   "é",   ",",      "?",
      "~",  "=",          "<<",     ".",      "-",      "`",    "$",   ">",   "\u2028", "\u0085",
      "語", "\U0001F989", "\uFEFF", "\uFFFE", "\u0300", "null", "yes", "1e5", "010",    "\u00a0"};
  std::string text;
  const std::size_t length = random() % 12;
  for (std::size_t i = 0; i < length; ++i) text += letters[random() % letters.size()];
  return text;
}

TEST(YamlArgumentTest, TakesAnyTextInSingleQuotesToTheLetter) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = random_text(random);
    std::string quoted = "'";
    for (const char letter : text) quoted += letter == '\'' ? "''" : std::string(1, letter);
    ASSERT_EQ(parse_yaml_value(quoted + "'", "s"), Value::string(text)) << quoted;
  }
}

Value random_value(std::mt19937& random, int depth) {
  switch (random() % (depth == 0 ? 5U : 8U)) {
    case 0:
      return {};
    case 1:
      return Value::boolean(random() % 2 == 0);
    case 2:
      return Value::integer(static_cast<std::int64_t>(random()) - (std::int64_t{1} << 31));
    case 3:
      return Value::real(
          std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 300) - 150));
    case 4:
    case 5:
      return Value::string(random_text(random));
    case 6: {
      Value list = Value::list();
      for (std::size_t i = random() % 4; i > 0; --i)
        list.items.push_back(random_value(random, depth - 1));
      return list;
    }
    default: {
      Value map = Value::map();
      for (std::size_t i = random() % 4; i > 0; --i) {
        map[random_text(random) + repeated("k", random() % 20 == 0 ? 2000 : 0)] =
            random_value(random, depth - 1);
      }
      return map;
    }
  }
}

TEST(YamlWriterTest, ReadsBackToAnEqualValue) {
  std::mt19937 random(2);
  for (int i = 0; i < 2'000; ++i) {
    Value root = Value::map();
    root["value"] = random_value(random, 4);
    const std::string text = to_yaml(root);
    ASSERT_EQ(parse(text), root) << text;
    ASSERT_EQ(parse_yaml_value(to_yaml_line(root), "s"), root) << to_yaml_line(root);
  }
}

// Figures and notebooks read resolved configs with PyYAML.
TEST(YamlWriterTest, WritesWhatPyYamlTakesForTheSame) {
  std::mt19937 random(3);
  Value root = Value::list();
  for (int i = 0; i < 500; ++i) root.items.push_back(random_value(random, 4));
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string yaml = (folder / "refran_yaml_test_pyyaml.yaml").string();
  const std::string json = (folder / "refran_yaml_test_pyyaml.json").string();
  std::ofstream(yaml) << to_yaml(root);
  std::ofstream(json) << json_of(root);
  const std::string script =
      "import json, yaml; "
      "a = yaml.safe_load(open('" +
      yaml +
      "', encoding='utf-8', newline='')); "
      "b = json.load(open('" +
      json +
      "', encoding='utf-8')); "
      "assert len(b) == 500 and json.dumps(a) == json.dumps(b)";
  EXPECT_EQ(std::system(("python3 -c \"" + script + "\"").c_str()), 0);
  std::filesystem::remove(yaml);
  std::filesystem::remove(json);
}

TEST(YamlWriterTest, WritesBlocksWithShortListsOnOneLine) {
  const std::string text =
      "experiment: toy-encoder\n"
      "config:\n"
      "  file: ../data/words.txt\n"
      "  tía: '010'\n"
      "  'yes': 'no'\n"
      "  rate: [0.5, 1.0]\n"
      "  points:\n"
      "    - [1, 2]\n"
      "    - [3]\n"
      "  words:\n"
      "    - word: tía\n"
      "      point: []\n"
      "    - word: ''\n"
      "      point: {}\n"
      "  note: \"two\\nlines\"\n";
  EXPECT_EQ(to_yaml(parse(text)), text);
}

}  // namespace
}  // namespace refran::runner
