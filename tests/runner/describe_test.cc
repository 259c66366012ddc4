// The texts, tables, sidecars and JSON Schemas of a plugin.
#include "describe.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <refran/config.h>
#include "json_value.h"
#include "temporary_folder.h"
#include "word.h"
#include "yaml.h"

namespace refran::runner {
namespace {

using Json = nlohmann::ordered_json;

struct DescribedModel {
  std::int32_t heads = 4;
  std::filesystem::path weights;
  void describe(Fields& field) {
    field("heads", heads, "Attention heads").range(1, 16);
    field("weights", weights, "File of weights").required().existing_file();
  }
};

struct DescribedConfig {
  std::vector<Word> words;
  OneOrList<double> rate = 0.5;
  std::string scoring = "dot";
  std::optional<std::uint32_t> threads;
  Map<std::vector<double>> points = {{"a|b", {1, 0.5}}};
  DescribedModel model;
  double patience = 30;
  std::string stop = "</s>";
  void describe(Fields& field) {
    field("words", words, "The sentence, word by word").required().items(1);
    field("rate", rate,
          "Share of the way that the summary moves toward the point of every word, one for all of "
          "them "
          "or one for each")
        .range(0, 1);
    field("scoring", scoring, "How scores are made").one_of({"dot", "scaled-dot"});
    field("threads", threads, "Threads to use");
    field("points", points, "Points by name");
    field("model", model, "The model");
    field("patience", patience, "How long to wait").unit("s").above(0);
    field("stop", stop, "Ends at </s> | or `</s>`");
  }
};

Description toy() {
  Description description;
  description.name = "toy-encoder";
  description.question = "How much of each word is left in the summary?";
  description.version = "1.2.0";
  Fields fields(&description.fields);
  DescribedConfig config;
  config.describe(fields);
  OutputInfo share;
  share.name = "share";
  share.dims = {"step", "part"};
  share.unit = "1";
  share.doc = "How much of each part is in the summary after every step";
  share.rows_sum_to_one = true;
  OutputInfo attention;
  attention.name = "attention";
  attention.element = Element::float32;
  attention.dims = {"target", "source"};
  attention.unit = "nat";
  attention.doc = "Attention of every word";
  attention.per_item = "sentence";
  attention.condition = "`scoring` is dot";
  OutputInfo loss;
  loss.name = "loss";
  loss.unit = "1";
  loss.doc = "The last loss";
  description.outputs = {share, attention, loss};
  return description;
}

const char* const kToyText =
    "toy-encoder 1.2.0\n"
    "How much of each word is left in the summary?\n"
    "\n"
    "Reproducibility\n"
    "  bitwise: the same bytes on any x86-64 machine, with any compiler and threads\n"
    "\n"
    "Config\n"
    "  words          The sentence, word by word\n"
    "                 a list of maps with the keys text, point (at least 1); required\n"
    "  words[].text   The word as it is written\n"
    "                 a text; required\n"
    "  words[].point  Where it is\n"
    "                 a list of numbers (exactly 2); default [0.0, 0.0]\n"
    "  rate           Share of the way that the summary moves toward the point of every word, "
    "one for all\n"
    "                 of them or one for each\n"
    "                 a number from 0 to 1, or a list of numbers from 0 to 1; default 0.5\n"
    "  scoring        How scores are made\n"
    "                 dot or scaled-dot; default dot\n"
    "  threads        Threads to use\n"
    "                 an integer, or auto; default auto\n"
    "  points         Points by name\n"
    "                 a map of lists of numbers; default {'a|b': [1.0, 0.5]}\n"
    "  model          The model\n"
    "                 a map of the keys below\n"
    "  model.heads    Attention heads\n"
    "                 an integer from 1 to 16; default 4\n"
    "  model.weights  File of weights\n"
    "                 an existing file; required\n"
    "  patience       How long to wait\n"
    "                 a number above 0, in s; default 30.0\n"
    "  stop           Ends at </s> | or `</s>`\n"
    "                 a text; default '</s>'\n"
    "\n"
    "Outputs\n"
    "  share[step, part]          How much of each part is in the summary after every step\n"
    "                             float64; rows sum to 1\n"
    "  attention[target, source]  Attention of every word\n"
    "                             float32, in nat; one per item of 'sentence'; written where "
    "`scoring` is\n"
    "                             dot\n"
    "  loss                       The last loss\n"
    "                             float64\n";

TEST(DescribeTest, WritesATextOfAtMostAHundredColumns) {
  EXPECT_EQ(describe_text(toy()), kToyText);
  std::istringstream lines(kToyText);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(DescribeTest, WritesMarkdownTablesThatNothingBreaksOutOf) {
  EXPECT_EQ(
      describe_markdown(toy()),
      "| Config | Meaning | Allowed | Default |\n"
      "| --- | --- | --- | --- |\n"
      "| `words` | The sentence, word by word | a list of maps with the keys text, point (at least "
      "1); "
      "required |  |\n"
      "| `words[].text` | The word as it is written | a text; required |  |\n"
      "| `words[].point` | Where it is | a list of numbers (exactly 2) | `[0.0, 0.0]` |\n"
      "| `rate` | Share of the way that the summary moves toward the point of every word, one for "
      "all of "
      "them or one for each | a number from 0 to 1, or a list of numbers from 0 to 1 | `0.5` |\n"
      "| `scoring` | How scores are made | dot or scaled-dot | `dot` |\n"
      "| `threads` | Threads to use | an integer, or auto | `auto` |\n"
      "| `points` | Points by name | a map of lists of numbers | `{'a\\|b': [1.0, 0.5]}` |\n"
      "| `model` | The model | a map of the keys below |  |\n"
      "| `model.heads` | Attention heads | an integer from 1 to 16 | `4` |\n"
      "| `model.weights` | File of weights | an existing file; required |  |\n"
      "| `patience` | How long to wait | a number above 0, in s | `30.0` |\n"
      "| `stop` | Ends at &lt;/s> \\| or `</s>` | a text | `'</s>'` |\n"
      "\n"
      "| Output | Axes | Type | Unit | Meaning |\n"
      "| --- | --- | --- | --- | --- |\n"
      "| `share` | step, part | float64 | 1 | How much of each part is in the summary after every "
      "step; "
      "rows sum to 1 |\n"
      "| `attention` | target, source | float32 | nat | Attention of every word; one per item of "
      "'sentence'; written where `scoring` is dot |\n"
      "| `loss` |  | float64 | 1 | The last loss |\n");
}

TEST(DescribeTest, SaysWhatAPluginPromises) {
  Description description = toy();
  description.fields.clear();
  description.outputs.clear();
  description.reproducibility = Reproducibility::close;
  description.tolerance = 1e-6;
  EXPECT_EQ(describe_text(description),
            "toy-encoder 1.2.0\n"
            "How much of each word is left in the summary?\n"
            "\n"
            "Reproducibility\n"
            "  close: the same values within 1e-06\n"
            "\n"
            "Config\n"
            "  no fields\n"
            "\n"
            "Outputs\n"
            "  none\n");
}

// Everything that a field can say.
Description full() {
  Description description = toy();
  description.reproducibility = Reproducibility::close;
  description.tolerance = 1e-9;
  description.has_check = true;
  description.has_group = true;
  description.part = "toy_torch";
  Field odd;
  odd.name = "odd";
  odd.type = FieldType::real;
  odd.default_value = Value::real(-std::numeric_limits<double>::infinity());
  odd.maximum = 1e300;
  odd.maximum_excluded = true;
  odd.max_items = 3;
  description.fields.push_back(odd);
  odd.name = "big";
  odd.type = FieldType::integer;
  odd.integer_bits = 32;
  odd.integer_signed = false;
  odd.default_value = Value::integer(std::numeric_limits<std::uint64_t>::max());
  description.fields.push_back(odd);
  return description;
}

TEST(DescribeJsonTest, LosesNothing) {
  const Json json = to_json(full());
  const Description back = description_from_json(Json::parse(json.dump()));
  EXPECT_EQ(to_json(back), json);
  EXPECT_EQ(describe_text(back), describe_text(full()));
  EXPECT_EQ(json_schema(back), json_schema(full()));
  ASSERT_EQ(back.fields.size(), full().fields.size());
  for (std::size_t i = 0; i < back.fields.size(); ++i) {
    EXPECT_EQ(back.fields[i].default_value, full().fields[i].default_value);
  }
  EXPECT_EQ(back.part, "toy_torch");
  EXPECT_EQ(back.outputs[1].per_item, "sentence");
}

std::string json_error(const Json& json) {
  try {
    description_from_json(json);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(DescribeJsonTest, RefusesWhatIsMissingOrOfTheWrongKind) {
  Json json = to_json(toy());
  json["fields"][0]["type"] = "matrix";
  EXPECT_EQ(json_error(json), "'type' has the unknown value 'matrix'");
  json = to_json(toy());
  json["fields"][0]["min_items"] = 1.5;
  EXPECT_EQ(json_error(json), "'min_items' is no integer");
  // Every key that is always there is needed.
  const Json whole = to_json(toy());
  for (const auto& [key, value] : whole.items()) {
    json = whole;
    json.erase(key);
    EXPECT_THROW(description_from_json(json), std::runtime_error) << key;
    json = whole;
    json[key] = Json{{"something", "else"}};
    EXPECT_THROW(description_from_json(json), std::runtime_error) << key;
  }
  EXPECT_THROW(description_from_json(Json::array()), std::runtime_error);
}

// What python3-jsonschema says of every YAML document: "ok" or "refused", a line each.
std::string verdicts(const Json& schema, const std::vector<std::string>& documents) {
  const TemporaryFolder folder;
  const std::filesystem::path& path = folder.path();
  std::ofstream(path / "schema.json") << schema;
  Json instances = Json::array();
  for (const std::string& document : documents) {
    instances.push_back(json_of(parse_yaml("experiment: toy-encoder\n" + document, "x.yaml")));
  }
  std::ofstream(path / "instances.json") << instances;
  std::ofstream(path / "validate.py")
      << "import json, sys\n"
         "from jsonschema import Draft202012Validator\n"
         "schema = json.load(open('schema.json', encoding='utf-8'))\n"
         "Draft202012Validator.check_schema(schema)\n"
         "validator = Draft202012Validator(schema)\n"
         "with open('verdicts.txt', 'w') as out:\n"
         "    for instance in json.load(open('instances.json', encoding='utf-8')):\n"
         "        print('ok' if validator.is_valid(instance) else 'refused', file=out)\n";
  const std::string command = "cd '" + path.string() + "' && python3 validate.py";
  if (std::system(command.c_str()) != 0) return "the validator failed";
  std::ostringstream text;
  text << std::ifstream(path / "verdicts.txt").rdbuf();
  return text.str();
}

const char* const kWhole = "config: {words: [{text: a}], model: {weights: w.bin}}\n";

TEST(JsonSchemaTest, AcceptsWhatTheRunnerAccepts) {
  const std::string whole = kWhole;
  EXPECT_EQ(
      verdicts(
          json_schema(toy()),
          {whole, whole + "seed: 18446744073709551615\ndemo: true\nbase: ..\n",
           whole + "sweep: {seed: {from: 1, count: 3}, config.model.heads: [1, 2]}\n",
           whole + "sweep: {zip: {z: {config.rate: [0, [0.5, 1]], seed: [1, 2]}}}\n",
           whole + "sweep: {config.points.tía: [[1, 2], [3]]}\n",
           "sweep: {config.words: [[{text: a}]], config.model.weights: [a, b]}\n",
           "config: {words: [{text: a, point: [1, 2]}], rate: [0, 1], scoring: scaled-dot,"
           " threads: auto, points: {b: [1.5]}, model: {heads: 16, weights: w}, patience: 1}\n"}),
      "ok\nok\nok\nok\nok\nok\nok\n");
}

TEST(JsonSchemaTest, RefusesWhatTheRunnerRefuses) {
  const std::string whole = kWhole;
  const std::vector<std::string> documents{
      "",  // `words` is required
      "config: {words: [{text: a}]}\n",
      whole + "sede: 1\n",
      whole + "seed: -1\n",
      whole + "sweep: {heads: [1]}\n",
      whole + "sweep: {config.model.heads: []}\n",
      whole + "sweep: {config.model.heads: [17]}\n",
      whole + "sweep: {config.heads: [1]}\n",
      whole + "sweep: {zip: {z: {seed: [1]}}}\n",
      whole + "sweep: {zip: {z: {seed: [1], config.heads: [1]}}}\n",
      whole + "sweep: {seed: {from: 1}}\n",
      "config: {words: [], model: {weights: w}}\n",
      "config: {words: [{}], model: {weights: w}}\n",
      "config: {words: [{text: 5}], model: {weights: w}}\n",
      "config: {words: [{text: a, point: [1]}], model: {weights: w}}\n",
      "config: {words: [{text: a}], model: {weights: w, heads: 0}}\n",
      "config: {words: [{text: a}], model: {weights: w}, scoring: dto}\n",
      "config: {words: [{text: a}], model: {weights: w}, patience: 0}\n",
      "config: {words: [{text: a}], model: {weights: w}, rate: 2}\n",
      "config: {words: [{text: a}], model: {weights: w}, threads: 4294967296}\n",
      "config: {words: [{text: a}], model: {weights: w}, wrods: 1}\n",
  };
  std::string refused;
  for (std::size_t i = 0; i < documents.size(); ++i) refused += "refused\n";
  EXPECT_EQ(verdicts(json_schema(toy()), documents), refused);
}

TEST(JsonSchemaTest, CarriesWordsUnitsAndDefaults) {
  const Json config = json_schema(toy())["properties"]["config"]["properties"];
  EXPECT_EQ(config["patience"].dump(), R"({"type":"number","exclusiveMinimum":0,"description":)"
                                       R"json("How long to wait (s)","default":30.0})json");
  EXPECT_EQ(config["model"]["properties"]["heads"].dump(),
            R"({"type":"integer","minimum":-2147483648,"maximum":2147483647,)"
            R"("allOf":[{"minimum":1,"maximum":16}],"description":"Attention heads","default":4})");
  EXPECT_EQ(config["threads"].dump(),
            R"({"anyOf":[{"type":"integer","minimum":0,"maximum":4294967295},{"const":"auto"}],)"
            R"("description":"Threads to use","default":"auto"})");
}

}  // namespace
}  // namespace refran::runner
