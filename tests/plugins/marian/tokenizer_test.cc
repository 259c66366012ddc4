// The tokenizer against MarianTokenizer of transformers, and by hand.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <marian/checkpoint.h>
#include <marian/tokenizer.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include "model_files.h"
#include "tokenizer_folder.h"

namespace refran::marian {
namespace {

using Texts = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;
using nlohmann::json;

const std::filesystem::path kTokenizers = REFRAN_SOURCE_DIR "/tests/fixtures/marian/tokenizer";

std::string decoded_base64(const std::string& text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                  reinterpret_cast<const unsigned char*>(text.data()),
                  static_cast<int>(text.size()));
  const std::size_t padding = text.size() - (text.find_last_not_of('=') + 1);
  return bytes.substr(0, bytes.size() - padding);
}

std::int32_t id_in(const std::filesystem::path& vocabulary, const std::string& token) {
  return json::parse(text_of_file(vocabulary)).at(token);
}

constexpr std::pair<std::string_view, std::string_view> kCleanedUp[] = {
    {"it is late .", "it is late."},
    {"who , me ?", "who, me?"},
    {"no ! no !", "no! no!"},
    {"they are n't here , are they ?", "they aren't here, are they?"},
    {"I 'm here", "I'm here"},
    {"the dog 's house", "the dog's house"},
    {"we 've come , you 're late", "we've come, you're late"},
    {"a ' b ' c", "a'b'c"},
    {"o ... e", "o... e"},
    {"it 's n't", "it'sn't"},
};

class TokenizerFixtureTest : public testing::TestWithParam<const char*> {
 protected:
  const std::filesystem::path folder_ = kTokenizers / GetParam();
  const json cases_ = json::parse(text_of_file(folder_ / "cases.json"));
  const std::int32_t target_pad_ = id_in(tokenizer_folder(folder_).target_vocabulary, "<pad>");
  const Tokenizer tokenizer_{tokenizer_folder(folder_)};
};

INSTANTIATE_TEST_SUITE_P(Vocabularies, TokenizerFixtureTest, testing::Values("joint", "separate"),
                         [](const auto& vocabularies) { return std::string(vocabularies.param); });

TEST_P(TokenizerFixtureTest, EncodesAsTransformers) {
  ASSERT_GE(cases_.at("encode").size(), std::string_view(GetParam()) == "joint" ? 300U : 150U);
  for (const json& one : cases_.at("encode")) {
    const std::string text =
        one.contains("text") ? one["text"].get<std::string>() : decoded_base64(one["base64"]);
    const Tokens source = tokenizer_.encode_source(text);
    EXPECT_EQ(source.ids, one.at("source_ids").get<Ids>()) << one.dump();
    EXPECT_EQ(source.pieces, one.at("source_pieces").get<Texts>()) << one.dump();
    const Tokens target = tokenizer_.encode_target(text);
    const auto pieces = one.at("target_pieces").get<Texts>();
    auto ids = one.at("target_ids").get<Ids>();
    // For a <pad> in the text, transformers takes the source's even where vocabularies are
    // separate.
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
      if (pieces[piece] == "<pad>") ids[piece] = target_pad_;
    }
    EXPECT_EQ(target.ids, ids) << one.dump();
    EXPECT_EQ(target.pieces, pieces) << one.dump();
  }
}

TEST_P(TokenizerFixtureTest, DecodesAsTransformers) {
  ASSERT_GE(cases_.at("decode").size(), 100U);
  for (const json& one : cases_.at("decode")) {
    EXPECT_EQ(tokenizer_.decode_target(one.at("ids").get<Ids>()), one.at("text").get<std::string>())
        << one.dump();
  }
}

TEST_P(TokenizerFixtureTest, TellsTheSameTokensFromIds) {
  const Tokens source = tokenizer_.encode_source("O veciño falou.");
  const Tokens source_again = tokenizer_.source_tokens(source.ids);
  EXPECT_EQ(source_again.pieces, source.pieces);
  EXPECT_EQ(source_again.words, source.words);
  EXPECT_EQ(source_again.word_of, source.word_of);
  const Tokens target = tokenizer_.encode_target("The neighbour spoke.");
  const Tokens target_again = tokenizer_.target_tokens(target.ids);
  EXPECT_EQ(target_again.ids, target.ids);
  EXPECT_EQ(target_again.pieces, target.pieces);
  EXPECT_EQ(target_again.words, target.words);
}

TEST_P(TokenizerFixtureTest, TellsTheWordsOfEveryPiece) {
  const Tokens tokens = tokenizer_.encode_source("  O  veciño\u00A0falou.</s>Ben 😀😀");
  EXPECT_EQ(tokens.words, (Texts{"O", "veciño", "falou.", "</s>", "Ben", "😀😀", "</s>"}));
  ASSERT_EQ(tokens.word_of.size(), tokens.pieces.size());
  EXPECT_EQ(tokens.word_of.front(), 0);
  EXPECT_EQ(tokens.word_of.back(), 6);
}

TEST_P(TokenizerFixtureTest, EndsAnEmptyTextAtOnce) {
  for (const std::string text : {"", " ", "\n\t"}) {
    const Tokens tokens = tokenizer_.encode_source(text);
    EXPECT_EQ(tokens.pieces, Texts{"</s>"});
    EXPECT_EQ(tokens.words, Texts{"</s>"});
    EXPECT_EQ(tokens.word_of, std::vector<std::int32_t>{0});
  }
  EXPECT_EQ(tokenizer_.decode_target(Ids{}), "");
}

TEST_P(TokenizerFixtureTest, TakesSpecialTokensForTextWhereAsked) {
  const Tokenizer as_text(tokenizer_folder(folder_), {.special_tokens_as_text = true});
  const Tokens tokens = as_text.encode_source("a </s> b<pad>");
  EXPECT_EQ(tokens.words, (Texts{"a", "</s>", "b<pad>", "</s>"}));
  const std::int32_t end = tokens.ids.back();
  EXPECT_EQ(std::ranges::count(tokens.ids, end), 1);
  EXPECT_EQ(std::ranges::count(tokenizer_.encode_source("a </s> b<pad>").ids, end), 2);
}

TEST_P(TokenizerFixtureTest, NormalizesPunctuationByTheLanguageOfTheSide) {
  ModelFolder folder = tokenizer_folder(folder_);
  folder.source_language = "gl";
  folder.target_language = "en";
  const Tokenizer tokenizer(folder, {.normalize_punctuation = true});
  EXPECT_EQ(tokenizer.encode_source("“a”, b").words, (Texts{"\"a\",", "b", "</s>"}));
  EXPECT_EQ(tokenizer.encode_target("“a”, b").words, (Texts{"\"a,\"", "b", "</s>"}));
  EXPECT_EQ(tokenizer.encode_source("a ( b )").words, (Texts{"a", "(b)", "</s>"}));
}

// What `decode` of transformers 5.24 makes of the same texts with clean_up_tokenization_spaces.
TEST_P(TokenizerFixtureTest, CleansUpSpacesAsTransformersWhereAsked) {
  ModelFolder folder = tokenizer_folder(folder_);
  const Tokenizer asked(folder, {.clean_up_spaces = true});
  folder.clean_up_spaces = true;
  const Tokenizer of_folder(folder);
  const Tokenizer asked_not(folder, {.clean_up_spaces = false});
  for (const auto& [text, expected] : kCleanedUp) {
    const Ids ids = asked.encode_target(text).ids;
    EXPECT_EQ(tokenizer_.decode_target(ids), text);
    EXPECT_EQ(asked.decode_target(ids), expected);
    EXPECT_EQ(of_folder.decode_target(ids), expected);
    EXPECT_EQ(asked_not.decode_target(ids), text);
  }
}

TEST_P(TokenizerFixtureTest, WritesIdsThatNoTokenHasAsUnknown) {
  for (const std::int32_t id : {-1, 1 << 20, std::numeric_limits<std::int32_t>::min()}) {
    EXPECT_EQ(tokenizer_.target_piece(id), "<unk>");
    EXPECT_EQ(tokenizer_.decode_target(Ids{id}), "");
    EXPECT_EQ(tokenizer_.source_tokens(Ids{id}).words, Texts{"<unk>"});
  }
}

TEST(TokenizerTest, KeepsTheTargetPieceThatHasTheIdOfTheSourcePad) {
  const std::filesystem::path path = kTokenizers / "separate";
  const std::int32_t pad = id_in(path / "vocab.json", "<pad>");
  const Tokenizer tokenizer(tokenizer_folder(path));
  const std::string piece = tokenizer.target_piece(pad);
  ASSERT_NE(piece, "<pad>");
  ASSERT_NE(piece, "<unk>");
  EXPECT_EQ("▁" + tokenizer.decode_target(Ids{pad}), piece.starts_with("▁") ? piece : "▁" + piece);
  EXPECT_EQ(tokenizer.decode_target(Ids{id_in(path / "target_vocab.json", "<pad>")}), "");
}

// Joint and separate vocabularies, some without all pieces, JSON and native Marian's YAML: as each
// folder says itself.
TEST(TokenizerTest, FitsEveryModelFolder) {
  std::size_t folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTokenizers.parent_path())) {
    if (!std::filesystem::exists(entry.path() / "reference.json")) continue;
    const Tokenizer tokenizer(read_model_folder(entry.path()));
    const json reference = json::parse(text_of_file(entry.path() / "reference.json"));
    for (const json& one : reference.at("cases")) {
      EXPECT_EQ(tokenizer.encode_source(one.at("text").get<std::string>()).ids,
                one.at("source_ids").get<Ids>())
          << entry.path() << one.at("text");
      EXPECT_EQ(tokenizer.encode_target(one.at("target").get<std::string>()).ids,
                one.at("target_ids").get<Ids>())
          << entry.path() << one.at("target");
    }
    for (const json& one : reference.at("translations")) {
      EXPECT_EQ(tokenizer.decode_target(one.at("predicted_ids").get<Ids>()),
                one.at("text").get<std::string>())
          << entry.path() << one.at("predicted_ids");
    }
    ++folders;
  }
  EXPECT_GE(folders, 12U);
}

class TokenizerErrorTest : public testing::Test {
 protected:
  TokenizerErrorTest() { std::filesystem::copy(kTokenizers / "joint", path_); }

  std::string error(const ModelFolder& folder) const {
    try {
      const Tokenizer tokenizer(folder);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "no error";
  }
  // With `bytes` for source.spm.
  std::string error_with_source(std::string_view bytes) const {
    std::ofstream(path_ / "source.spm", std::ios::binary) << bytes;
    return error(tokenizer_folder(path_));
  }

  const files::Folder folder_;
  const std::filesystem::path path_ = folder_.path();
};

TEST_F(TokenizerErrorTest, NamesAMissingSentencePieceModel) {
  std::filesystem::remove(path_ / "target.spm");
  EXPECT_EQ(error(tokenizer_folder(path_)),
            (path_ / "target.spm").string() + ": found no such file");
}

TEST_F(TokenizerErrorTest, TellsABrokenSentencePieceModelAndIsSilent) {
  const std::string whole = text_of_file(path_ / "source.spm");
  const std::string name = (path_ / "source.spm").string();
  const std::string cut = name + ": found no whole SentencePiece model";
  testing::internal::CaptureStderr();
  EXPECT_EQ(error_with_source(""), name + ": found an empty file");
  EXPECT_EQ(error_with_source("<!DOCTYPE html><html>"),
            name +
                ": found an HTML page in place of the file; download the file itself, not the "
                "page about it");
  EXPECT_EQ(error_with_source("version https://git-lfs.github.com/spec/v1\noid sha256:1\n"),
            name +
                ": found a Git LFS pointer in place of the file; fetch it with 'git lfs pull', "
                "or download it");
  EXPECT_EQ(error_with_source("no model"), cut);
  for (std::size_t size = 1; size < whole.size(); size += 997) {
    EXPECT_EQ(error_with_source(whole.substr(0, size)), cut) << size;
  }
  // Whole as protobuf sees it, with no pieces.
  EXPECT_EQ(error_with_source(std::string_view("\x12\x00\x1A\x00", 4)),
            name + ": SentencePiece cannot read it: Internal: unk is not defined.");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(TokenizerErrorTest, TellsAVocabularyThatDoesNotFitTheModel) {
  ModelFolder folder = tokenizer_folder(path_);
  const std::size_t rows = folder.config.target_vocabulary;
  folder.config.target_vocabulary = rows + 1;
  EXPECT_EQ(error(folder),
            fmt::format("{}: vocabulary mismatch: its ids go up to {}, those of the model up to {}",
                        folder.target_vocabulary.string(), rows - 1, rows));
}

// A native package: the same pieces in YAML, <pad> added as the last row.
TEST_F(TokenizerErrorTest, ReadsANativeVocabulary) {
  ModelFolder folder = tokenizer_folder(path_);
  const Tokenizer expected(folder);
  std::ofstream yaml(path_ / "vocab.yml");
  const json vocabulary = json::parse(text_of_file(folder.source_vocabulary));
  for (const auto& [token, id] : vocabulary.items()) {
    if (token != "<pad>") yaml << json(token).dump() << ": " << id << '\n';
  }
  yaml.close();
  folder.is_native = true;
  folder.source_vocabulary = folder.target_vocabulary = path_ / "vocab.yml";
  const Tokenizer tokenizer(folder);
  const std::string text = "O veciño falou <pad> 😀 <unk>.";
  EXPECT_EQ(tokenizer.encode_source(text).ids, expected.encode_source(text).ids);
}

// The tokenizer of Helsinki-NLP/opus-mt-tc-big-fr-en, with ids of transformers 4.57.
class RealTokenizerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << path_ << " is not there";
  }

  const std::filesystem::path path_ = std::filesystem::path(REFRAN_SOURCE_DIR).parent_path() /
                                      "shared/data/tokenizers/opus-mt-tc-big-fr-en";
};

TEST_F(RealTokenizerTest, EncodesAsTransformers) {
  const Tokenizer tokenizer(tokenizer_folder(path_));
  const auto ids = [&](std::string_view text) { return tokenizer.encode_source(text).ids; };
  EXPECT_EQ(ids("C’était mieux avant !"), (Ids{8583, 53, 19258, 31781, 6416, 115, 43311}));
  EXPECT_EQ(ids("Voilà l’été : 25 °C à l’ombre. 😀 Peut-être…"),
            (Ids{51733, 28665, 53, 19302, 113,   1172,  107, 8582,  1898, 28665,
                 53,    34603, 35, 104,   50387, 36850, 10,  19419, 36,   43311}));
  EXPECT_EQ(ids(">>eng<< Le chat dort."), (Ids{50387, 29027, 9873, 13838, 35176, 35, 43311}));
  EXPECT_EQ(ids("Un</s>deux <pad> trois"), (Ids{50132, 43311, 15282, 53016, 49624, 43311}));
  EXPECT_EQ(ids("Les Champs-Élysées, 1\u00A0234 €"),
            (Ids{29235, 9693, 43310, 10, 16801, 30221, 43310, 17241, 13, 308, 1138, 1359, 104,
                 50387, 43311}));
}

TEST_F(RealTokenizerTest, EncodesTargetsAndDecodesThem) {
  const Tokenizer tokenizer(tokenizer_folder(path_));
  const std::string question = "It was better before, wasn't it?";
  const Ids question_ids = {27695, 52075, 7363, 7144, 13, 52086, 50, 47542, 27693, 26, 43311};
  EXPECT_EQ(tokenizer.encode_target(question).ids, question_ids);
  EXPECT_EQ(tokenizer.decode_target(question_ids), question);
  const std::string weather = "Maybe 25 °C in the shade.";
  const Tokens tokens = tokenizer.encode_target(weather);
  EXPECT_EQ(tokens.ids, (Ids{31083, 1172, 104, 2, 8582, 25852, 48337, 44618, 35, 43311}));
  EXPECT_EQ(tokens.pieces,
            (Texts{"▁Maybe", "▁25", "▁", "°", "C", "▁in", "▁the", "▁shade", ".", "</s>"}));
  EXPECT_EQ(tokens.words, (Texts{"Maybe", "25", "°C", "in", "the", "shade.", "</s>"}));
  EXPECT_EQ(tokenizer.decode_target(tokens.ids), weather);
}

}  // namespace
}  // namespace refran::marian
