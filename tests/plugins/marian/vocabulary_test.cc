// Vocabularies out of JSON, YAML and lists, whole ones and broken ones.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <marian/checkpoint.h>
#include <marian/text/vocabulary.h>
#include <yaml-cpp/yaml.h>

#include <refran/random.h>
#include "model_files.h"

namespace refran::marian {
namespace {

using files::model_error;
using Entries = std::vector<std::pair<std::string, std::int32_t>>;

Entries parsed(std::string_view text, const std::string& name) {
  Entries entries;
  for (const VocabularyEntry& entry : parse_vocabulary(text, name)) {
    entries.emplace_back(entry.token, entry.id);
  }
  return entries;
}

Entries json_entries(std::string_view text) { return parsed(text, "vocab.json"); }
Entries yaml_entries(std::string_view text) { return parsed(text, "vocab.yml"); }

std::string json_error(std::string_view text) {
  return model_error([&] { json_entries(text); });
}
std::string yaml_error(std::string_view text) {
  return model_error([&] { yaml_entries(text); });
}

TEST(VocabularyTest, ReadsJsonStringsAsJsonSaysThem) {
  EXPECT_EQ(json_entries(R"({"</s>": 0, "▁a": 2, "\u2581b\n": 1, "\ud83d\ude00": 7, "": 3})"),
            (Entries{{"</s>", 0}, {"▁a", 2}, {"▁b\n", 1}, {"😀", 7}, {"", 3}}));
  EXPECT_EQ(json_entries("{}"), Entries{});
}

TEST(VocabularyTest, RefusesJsonThatIsNoMapOfIds) {
  const std::string id = " is no whole number from 0 to 2147483647";
  EXPECT_EQ(json_error(R"({"a": -1})"), "vocab.json: the id of 'a'" + id);
  EXPECT_EQ(json_error(R"({"a": 1.0})"), "vocab.json: the id of 'a'" + id);
  EXPECT_EQ(json_error(R"({"a": "1"})"), "vocab.json: the id of 'a'" + id);
  EXPECT_EQ(json_error(R"({"a": null})"), "vocab.json: the id of 'a'" + id);
  EXPECT_EQ(json_error(R"({"a": true})"), "vocab.json: the id of 'a'" + id);
  EXPECT_EQ(json_error(R"({"a": [1]})"), "vocab.json: the id of 'a'" + id);
  EXPECT_EQ(json_error(R"({"a": {"b": 1}})"), "vocab.json: the id of 'a'" + id);
  EXPECT_EQ(json_error(R"({"a": 2147483648})"), "vocab.json: the id of 'a'" + id);
  EXPECT_EQ(json_error(R"({"a": 99999999999999999999})"), "vocab.json: the id of 'a'" + id);
  EXPECT_EQ(json_error(R"(["a"])"), "vocab.json: found no JSON object of tokens and ids");
  EXPECT_EQ(json_error("7"), "vocab.json: found no JSON object of tokens and ids");
  EXPECT_EQ(json_error(R"({"a": 1)"), "vocab.json: found no valid JSON at byte 8");
  EXPECT_EQ(json_error(R"({"a": 1} x)"), "vocab.json: found no valid JSON at byte 10");
  EXPECT_EQ(json_error("{\"\xFF\": 1}"), "vocab.json: found no valid JSON at byte 3");
  EXPECT_EQ(json_error(R"({"a": 010})"), "vocab.json: found no valid JSON at byte 9");
}

TEST(VocabularyTest, ReadsYamlTokensWithoutQuotes) {
  EXPECT_EQ(yaml_entries("</s>: 0\n▁a: 2\nb#c:  1  # a comment\n\n\t \n# another\nx y : 3\n"),
            (Entries{{"</s>", 0}, {"▁a", 2}, {"b#c", 1}, {"x y", 3}}));
  EXPECT_EQ(
      yaml_entries("---\n-a: 0\n--: 1\n?b: 2\n:: 3\n::: 4\na:b: 5\n-- -: 6"),
      (Entries{{"-a", 0}, {"--", 1}, {"?b", 2}, {":", 3}, {"::", 4}, {"a:b", 5}, {"-- -", 6}}));
  EXPECT_EQ(yaml_entries("  a: 0\r\n  b: 1\r\n"), (Entries{{"a", 0}, {"b", 1}}));
  EXPECT_EQ(yaml_entries("\uFEFFa: 0"), (Entries{{"a", 0}}));
}

TEST(VocabularyTest, ReadsYamlTokensInQuotes) {
  EXPECT_EQ(yaml_entries("'': 0\n'it''s': 1\n''''  : 2\n'a: b': 3\n'\\n #': 4\n"),
            (Entries{{"", 0}, {"it's", 1}, {"'", 2}, {"a: b", 3}, {"\\n #", 4}}));
  EXPECT_EQ(yaml_entries(R"("": 0
"\"\\\/": 1
"\xe9\u2581\U0001F600\ud83d\ude00": 2
"a: b #": 3
"\t\n\N\_\L\P\e\ ": 4
"\0": 5
)"),
            (Entries{{"", 0},
                     {"\"\\/", 1},
                     {"é▁😀😀", 2},
                     {"a: b #", 3},
                     {"\t\n\u0085\u00A0\u2028\u2029\x1b ", 4},
                     {std::string(1, '\0'), 5}}));
}

TEST(VocabularyTest, ReadsTokensAndIdsOnTwoLines) {
  EXPECT_EQ(yaml_entries("? \"a\\u2028\"\n: 0\n? b c\n:   1 # x\n?   'd'  # y\n# z\n: 2\n"),
            (Entries{{"a\u2028", 0}, {"b c", 1}, {"d", 2}}));
}

TEST(VocabularyTest, TakesEveryYamlTokenForItsText) {
  EXPECT_EQ(
      yaml_entries(
          "null: 0\n~: 1\nyes: 2\nNo: 3\n10: 4\n1.5: 5\n0x1F: 6\ntrue: 7\n.inf: 8\n=: 9\n<<: 10"),
      (Entries{{"null", 0},
               {"~", 1},
               {"yes", 2},
               {"No", 3},
               {"10", 4},
               {"1.5", 5},
               {"0x1F", 6},
               {"true", 7},
               {".inf", 8},
               {"=", 9},
               {"<<", 10}}));
}

TEST(VocabularyTest, KeepsNextLineAndMalformedBytesWithinYamlTokens) {
  EXPECT_EQ(
      yaml_entries("a\u0085b: 0\n\"\u0085\": 1\n\xFF\xE2\x96: 2\n'\xFE': 3\nc\u2028: 4\n"),
      (Entries{{"a\u0085b", 0}, {"\u0085", 1}, {"\xFF\xE2\x96", 2}, {"\xFE", 3}, {"c\u2028", 4}}));
}

TEST(VocabularyTest, TakesJsonInAYamlFile) {
  EXPECT_EQ(yaml_entries(" \n{\"a\": 0,\n \"null\": 1}"), (Entries{{"a", 0}, {"null", 1}}));
}

TEST(VocabularyTest, RefusesYamlOfOtherForms) {
  const std::string id = "found an id that is no whole number from 0 to 2147483647";
  const std::string token = "found no token; one that begins so has to be in quotes";
  const std::string open = "found a quoted token that does not end on its line";
  const std::string more = "found more than a token and its id";
  const std::string none = "found no ': ' and id behind the token";
  for (const std::string value :
       {"-1", "1.5", "'1'", "x", "", "2147483648", "010", "1_000", "+1", "0x1"}) {
    EXPECT_EQ(yaml_error("a: 0\nb: " + value), "vocab.yml:2: " + id) << value;
  }
  for (const std::string key :
       {"- a", "- ", "? ", "[a]", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a"}) {
    EXPECT_EQ(yaml_error(key + ": 1"), "vocab.yml:1: " + token) << key;
  }
  EXPECT_EQ(yaml_error("\ta: 1"), "vocab.yml:1: " + token);
  EXPECT_EQ(yaml_error(": 1"), "vocab.yml:1: " + token);
  EXPECT_EQ(yaml_error("\"a: 1"), "vocab.yml:1: " + open);
  EXPECT_EQ(yaml_error("'a'': 1"), "vocab.yml:1: " + open);
  EXPECT_EQ(yaml_error("\"a\\"), "vocab.yml:1: found a backslash that YAML does not know");
  EXPECT_EQ(yaml_error("\"\\q\": 1"), "vocab.yml:1: found a backslash that YAML does not know");
  EXPECT_EQ(yaml_error("\"\\x1\": 1"),
            "vocab.yml:1: found a backslash with too few hexadecimal digits");
  EXPECT_EQ(yaml_error("\"\\u12"),
            "vocab.yml:1: found a backslash with too few hexadecimal digits");
  EXPECT_EQ(yaml_error("\"\\ud83d\\u0041\": 1"), "vocab.yml:1: found half of a surrogate pair");
  EXPECT_EQ(yaml_error("\"\\udc00\": 1"),
            "vocab.yml:1: found a backslash with a number that is no character's");
  EXPECT_EQ(yaml_error("\"\\U00110000\": 1"),
            "vocab.yml:1: found a backslash with a number that is no character's");
  EXPECT_EQ(yaml_error("a: 1 b"), "vocab.yml:1: " + more);
  EXPECT_EQ(yaml_error("? a: 1"), "vocab.yml:1: " + more);
  EXPECT_EQ(yaml_error("a"), "vocab.yml:1: " + none);
  EXPECT_EQ(yaml_error("\"a\":1"), "vocab.yml:1: " + none);
  EXPECT_EQ(yaml_error("a #b: 1"), "vocab.yml:1: " + none);
  EXPECT_EQ(yaml_error("? a\nb: 1"), "vocab.yml:2: " + none);
  EXPECT_EQ(yaml_error("? a\n"), "vocab.yml: the last token has no id");
  EXPECT_EQ(yaml_error("a: 0\n  b: 1"),
            "vocab.yml:2: found a line that begins further in, or out, than others");
}

// Keys as yaml-cpp writes them, plain or in quotes as it sees fit, and what it reads again.
TEST(VocabularyTest, ReadsWhatYamlCppWritesAsYamlCppReadsIt) {
  const std::vector<std::string> parts = {"a",  "▁",  " ", ":",    "#",      "-",      "'",   "\"",
                                          "\\", "?",  ",", "\n",   "é",      "{",      "]",   "&",
                                          "*",  "!",  "|", ">",    "%",      "@",      "`",   "~",
                                          "😀",  "\t", "0", "\x7F", "\u00A0", "\u2028", "null"};
  Stream stream(1, "yaml");
  YAML::Emitter emitter;
  std::map<std::string, std::int32_t> written;
  while (written.size() < 3000) {
    std::string token;
    for (std::uint64_t length = stream.below(7); length > 0; --length) {
      token += parts[stream.below(parts.size())];
    }
    written.emplace(token, static_cast<std::int32_t>(written.size()));
  }
  emitter << written;
  const Entries read = yaml_entries(emitter.c_str());
  EXPECT_EQ(read, Entries(written.begin(), written.end()));
  for (const auto& pair : YAML::Load(emitter.c_str())) {
    EXPECT_EQ(written.at(pair.first.Scalar()), pair.second.as<std::int32_t>());
  }
}

TEST(VocabularyTest, ReadsAListOfATokenALine) {
  EXPECT_EQ(parsed("<unk>\n</s>\t0\r\n▁a\t-2.5", "vocab.src.vocab"),
            (Entries{{"<unk>", 0}, {"</s>", 1}, {"▁a", 2}}));
  EXPECT_EQ(model_error([] { parsed("a\n\nb\n", "x.vocab"); }),
            "x.vocab:2: found a line without a token");
}

Vocabulary made(std::vector<VocabularyEntry> entries, std::size_t rows, bool is_native = false) {
  return Vocabulary(std::move(entries), {rows, is_native}, "vocab.json");
}

TEST(VocabularyTest, FindsIdsAndTokensWithHolesBetweenThem) {
  const Vocabulary vocabulary = made({{"<pad>", 9}, {"a", 5}, {"</s>", 2}, {"<unk>", 0}}, 10);
  EXPECT_EQ(vocabulary.id_of("a"), 5);
  EXPECT_EQ(vocabulary.id_of("b"), std::nullopt);
  ASSERT_NE(vocabulary.token_of(5), nullptr);
  EXPECT_EQ(*vocabulary.token_of(5), "a");
  EXPECT_EQ(vocabulary.token_of(1), nullptr);
  EXPECT_EQ(vocabulary.token_of(-1), nullptr);
  EXPECT_EQ(vocabulary.token_of(10), nullptr);
  EXPECT_EQ(vocabulary.end_id(), 2);
  EXPECT_EQ(vocabulary.unknown_id(), 0);
  EXPECT_EQ(vocabulary.pad_id(), 9);
}

TEST(VocabularyTest, GivesANativeVocabularyItsPad) {
  const Vocabulary vocabulary = made({{"</s>", 0}, {"<unk>", 1}, {"a", 2}}, 10, true);
  EXPECT_EQ(vocabulary.pad_id(), 9);
  EXPECT_EQ(*vocabulary.token_of(9), "<pad>");
  const Vocabulary nematus = made({{"eos", 0}, {"UNK", 1}}, 3, true);
  EXPECT_EQ(nematus.end_id(), 0);
  EXPECT_EQ(nematus.unknown_id(), 1);
}

TEST(VocabularyTest, RefusesDuplicates) {
  EXPECT_EQ(model_error([] {
              made({{"▁a", 0}, {"b", 1}, {"▁a", 2}}, 3);
            }),
            "vocab.json: the token '▁a' is there twice, with the ids 0 and 2");
  EXPECT_EQ(model_error([] {
              made({{"\xFF\n", 0}, {"b", 0}}, 3);
            }),
            "vocab.json: the tokens '\\xff\\x0a' and 'b' have the same id, 0");
}

TEST(VocabularyTest, RefusesAMismatchWithTheModelNamingBothNumbers) {
  const std::vector<VocabularyEntry> entries = {{"</s>", 0}, {"<unk>", 1}, {"<pad>", 5}};
  EXPECT_EQ(model_error([&] { made(entries, 5); }),
            "vocab.json: vocabulary mismatch: its ids go up to 5, those of the model up to 4");
  EXPECT_EQ(model_error([&] { made(entries, 7); }),
            "vocab.json: vocabulary mismatch: its ids go up to 5, those of the model up to 6");
  EXPECT_EQ(model_error([&] {
              made({{"</s>", 0}, {"<unk>", 2}}, 3, true);
            }),
            "vocab.json: vocabulary mismatch: its ids go up to 2, those of the model up to 1");
  EXPECT_EQ(model_error([&] { made({}, 2); }),
            "vocab.json: vocabulary mismatch: its ids go up to -1, those of the model up to 1");
}

TEST(VocabularyTest, RefusesMissingSpecialTokens) {
  EXPECT_EQ(model_error([] {
              made({{"<unk>", 0}, {"<pad>", 1}}, 2);
            }),
            "vocab.json: found no token </s>");
  EXPECT_EQ(model_error([] {
              made({{"</s>", 0}, {"UNK", 1}, {"<pad>", 2}}, 3);
            }),
            "vocab.json: found no token <unk>");
  EXPECT_EQ(model_error([] {
              made({{"</s>", 0}, {"<unk>", 1}}, 2);
            }),
            "vocab.json: found no token <pad>");
}

TEST(VocabularyTest, ReadsAFileAndSaysWhichIsMissing) {
  const files::Folder folder;
  const std::filesystem::path file = folder.path() / "vocab.json";
  std::ofstream(file) << R"({"</s>": 0, "<unk>": 1, "<pad>": 2})";
  EXPECT_EQ(read_vocabulary(file, {3, false}).pad_id(), 2);
  std::ofstream(file) << "version https://git-lfs.github.com/spec/v1\n";
  EXPECT_EQ(model_error([&] {
              read_vocabulary(file, {3, false});
            }),
            file.string() +
                ": found a Git LFS pointer in place of the file; fetch it with 'git lfs "
                "pull', or download it");
  std::filesystem::remove(file);
  EXPECT_EQ(model_error([&] {
              read_vocabulary(file, {3, false});
            }),
            file.string() + ": found no such file");
}

}  // namespace
}  // namespace refran::marian
