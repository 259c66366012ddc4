// Sentences without words, points of a wrong dimension, NaN and infinity: each is one line that
// says where, before anything is run.
#include <algorithm>

#include <fmt/format.h>

#include "program.h"

namespace refran::tests {
namespace {

struct Case {
  std::string name;
  std::string plugin;
  std::string config;   // the second line of the experiment file, behind `config: `
  std::string vectors;  // the text of words.txt
  std::string error;    // behind the file's name and a colon; {file}, {folder} stand for it
};

std::ostream& operator<<(std::ostream& stream, const Case& one) { return stream << one.name; }

class InputErrorsTest : public ProgramTest, public ::testing::WithParamInterface<Case> {};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST_P(InputErrorsTest, IsToldBeforeTheRun) {
  const Case& one = GetParam();
  if (!one.vectors.empty()) write("words.txt", one.vectors);
  const fs::path file = experiment(one.plugin, "config: " + one.config + "\n");
  const Outcome outcome = run(file);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.output, "");
  const std::string error = replaced(one.error, "{folder}", folder().string());
  EXPECT_EQ(outcome.error,
            fmt::format("{}:{}\n", file.string(), replaced(error, "{file}", file.string())));
  EXPECT_FALSE(fs::exists(out()));
}

const Case kEncoderCases[] = {
    {"NoWords", "toy-encoder", "{sentence: '… !', points: {a: [1]}}", "",
     "2:20: config.sentence: found no words in '… !', allowed: a sentence of at least one"},
    {"EmptySentence", "toy-encoder", "{sentence: '', points: {a: [1]}}", "",
     "2:20: config.sentence: found no words in '', allowed: a sentence of at least one"},
    {"NoPoints", "toy-encoder", "{sentence: a}", "",
     "2:9: config.points: found no points, allowed: the point of every word here, or a file of "
     "them in 'vectors'"},
    {"WordWithoutAPoint", "toy-encoder", "{sentence: a b, points: {a: [1]}}", "",
     "2:20: config.sentence: found words without a point ('b'), allowed: words listed in 'points'"},
    {"WrongDimension", "toy-encoder", "{sentence: a b, points: {a: [1, 2], b: [1]}}", "",
     "2:48: config.points.b: found 1 number for 'b', allowed: 2, as for 'a'"},
    {"NaN", "toy-encoder", "{sentence: a, points: {a: [.nan, 1]}}", "",
     "2:36: config.points.a[0]: found a number .nan, allowed: a number, not NaN or infinity"},
    {"Infinity", "toy-encoder", "{sentence: a, points: {a: [1, -.inf]}}", "",
     "2:39: config.points.a[1]: found a number -.inf, allowed: a number, not NaN or infinity"},
    {"NaNRate", "toy-encoder", "{sentence: a, rate: .nan, points: {a: [1]}}", "",
     "2:29: config.rate: found a number .nan, allowed: a number from 0 to 1, not NaN or infinity"},
    {"NaNInTheFile", "toy-encoder", "{sentence: a, vectors: words.txt}", "a 1 2\nb nan 1\n",
     "2:32: config.vectors: {folder}/words.txt:2: 'nan' is not a finite number"},
    {"InfinityInTheFile", "toy-encoder", "{sentence: a, vectors: words.txt}", "a 1 inf\n",
     "2:32: config.vectors: {folder}/words.txt:1: 'inf' is not a finite number"},
    {"WrongDimensionInTheFile", "toy-encoder", "{sentence: a, vectors: words.txt}", "a 1 2\nb 1\n",
     "2:32: config.vectors: {folder}/words.txt:2: 'b' has 1 numbers, 'a' above has 2; all words "
     "have the same number"},
    {"NoSuchFile", "toy-encoder", "{sentence: a, vectors: words.txt}", "",
     "2:32: config.vectors: found nothing at 'words.txt' ({folder}/words.txt), allowed: an "
     "existing file"},
};

const Case kDecoderCases[] = {
    {"NoInputs", "greedy-decoder", "{inputs: [], vocabulary: []}", "",
     "2:18: config.inputs: found a list of 0, allowed: a list of texts (at least 1)\n{file}:2:34: "
     "config.vocabulary: found a list of 0, allowed: a list of maps with the keys word, embedding, "
     "step (at least 2)"},
    {"InputWithoutWords", "greedy-decoder",
     "{inputs: ['!'], encoder: {points: {a: [1]}}, vocabulary: [{word: b, embedding: [1], step: "
     "[1]}, {word: </s>, "
     "embedding: [1]}]}",
     "", "2:19: config.inputs[0]: found no words in '!', allowed: a sentence of at least one"},
    {"WrongDimension", "greedy-decoder",
     "{inputs: [a], encoder: {points: {a: [1]}}, vocabulary: [{word: b, embedding: [1, 2], step: "
     "[1]}, {word: </s>, "
     "embedding: [1]}]}",
     "",
     "2:86: config.vocabulary[0].embedding: found 2 numbers for 'b', allowed: 1, as in the points "
     "of the Galician words"},
    {"NaN", "greedy-decoder",
     "{inputs: [a], encoder: {points: {a: [1]}}, vocabulary: [{word: b, embedding: [.NaN], step: "
     "[1]}, {word: </s>, "
     "embedding: [1]}]}",
     "",
     "2:87: config.vocabulary[0].embedding[0]: found a number .nan, allowed: a number, not NaN or "
     "infinity"},
};

const Case kAttentionCases[] = {
    {"NoSourceWords", "attention-query", "{source: [], queries: []}", "",
     "2:18: config.source: found a list of 0, allowed: a list of maps with the keys word, key, "
     "value (at least 1)\n{file}:2:31: config.queries: found a list of 0, allowed: a list of maps "
     "with the keys word, query (at least 1)"},
    {"WrongDimension", "attention-query",
     "{source: [{word: a, key: [1, 0], value: [1]}], queries: [{word: b, query: [1]}]}", "",
     "2:83: config.queries[0].query: found 1 numbers, allowed: 2, as in source[0].key"},
    {"Infinity", "attention-query",
     "{source: [{word: a, key: [1, 0], value: [.inf]}], queries: [{word: b, query: [1, 0]}]}", "",
     "2:50: config.source[0].value[0]: found a number .inf, allowed: a number, not NaN or "
     "infinity"},
};

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(ToyEncoder, InputErrorsTest, ::testing::ValuesIn(kEncoderCases),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(GreedyDecoder, InputErrorsTest, ::testing::ValuesIn(kDecoderCases),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(AttentionQuery, InputErrorsTest, ::testing::ValuesIn(kAttentionCases),
                         name_of_case);

}  // namespace
}  // namespace refran::tests
