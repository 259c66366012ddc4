// What a Hugging Face folder says of its model, and the whole text of every refusal.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <marian/model_config.h>
#include <nlohmann/json.hpp>

#include "model_files.h"

namespace refran::marian {
namespace {

using files::error_behind_folder;
using files::Folder;
using files::folder_error;
using nlohmann::json;

json plain_config() {
  return json::parse(R"({
    "architectures": ["MarianMTModel"], "model_type": "marian", "is_encoder_decoder": true,
    "vocab_size": 50, "d_model": 8, "encoder_layers": 2, "decoder_layers": 3,
    "encoder_attention_heads": 4, "decoder_attention_heads": 2, "encoder_ffn_dim": 16,
    "decoder_ffn_dim": 12, "activation_function": "swish", "scale_embedding": true,
    "max_position_embeddings": 32, "pad_token_id": 49, "decoder_start_token_id": 49,
    "eos_token_id": 3, "forced_eos_token_id": 3})");
}

json plain_generation() {
  return json::parse(R"({
    "bad_words_ids": [[49]], "decoder_start_token_id": 49, "eos_token_id": 3,
    "forced_eos_token_id": 3, "max_length": 30, "num_beams": 4, "renormalize_logits": true})");
}

void write_plain_folder(const Folder& folder) {
  folder.write("config.json", plain_config().dump());
  folder.write("generation_config.json", plain_generation().dump());
  folder.write("tokenizer_config.json", R"({"source_lang": "gl", "target_lang": "en"})");
  for (const char* name : {"vocab.json", "source.spm", "target.spm", "model.safetensors"})
    folder.write(name, "x");
}

// The folder with some keys of config.json changed; null takes a key away.
ModelFolder read_with(const json& changes, const char* file = "config.json") {
  const Folder folder;
  write_plain_folder(folder);
  json object = file == std::string("config.json") ? plain_config() : plain_generation();
  object.merge_patch(changes);
  folder.write(file, object.dump());
  return read_model_folder(folder.path());
}

std::string config_error(const json& changes) {
  return error_behind_folder([&] { read_with(changes); });
}

std::string generation_error(const json& changes) {
  return error_behind_folder([&] { read_with(changes, "generation_config.json"); });
}

TEST(ModelFolderTest, ReadsTheArchitecture) {
  const ModelConfig config = read_with(json::object()).config;
  EXPECT_EQ(config.source_vocabulary, 50U);
  EXPECT_EQ(config.target_vocabulary, 50U);
  EXPECT_EQ(config.model_dim, 8U);
  EXPECT_EQ(config.encoder_layers, 2U);
  EXPECT_EQ(config.decoder_layers, 3U);
  EXPECT_EQ(config.encoder_heads, 4U);
  EXPECT_EQ(config.decoder_heads, 2U);
  EXPECT_EQ(config.encoder_ffn_dim, 16U);
  EXPECT_EQ(config.decoder_ffn_dim, 12U);
  EXPECT_EQ(config.activation, Activation::swish);
  EXPECT_TRUE(config.scale_embedding);
  EXPECT_EQ(config.max_positions, 32U);
  EXPECT_TRUE(config.shared_embeddings);
  EXPECT_TRUE(config.tied_output);
  EXPECT_EQ(config.layer_norm_epsilon, 1e-5F);
  EXPECT_EQ(config.position_table, PositionTable::hugging_face);
  EXPECT_EQ(config.pad_id, 49);
  EXPECT_EQ(config.eos_id, 3);
  EXPECT_EQ(config.decoder_start_id, 49);
}

TEST(ModelFolderTest, ListsTheFilesThatAreRead) {
  const Folder folder;
  write_plain_folder(folder);
  const ModelFolder found = read_model_folder(folder.path());
  std::vector<std::string> names;
  for (const std::filesystem::path& file : found.files) names.push_back(file.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"config.json", "generation_config.json",
                                             "tokenizer_config.json", "vocab.json", "source.spm",
                                             "target.spm", "model.safetensors"}));
  EXPECT_FALSE(found.is_native);
  EXPECT_EQ(found.weights, folder.path() / "model.safetensors");
  EXPECT_EQ(found.source_spm, folder.path() / "source.spm");
  EXPECT_EQ(found.target_spm, folder.path() / "target.spm");
  EXPECT_EQ(found.source_vocabulary, folder.path() / "vocab.json");
  EXPECT_EQ(found.target_vocabulary, folder.path() / "vocab.json");
  EXPECT_EQ(found.source_language, "gl");
  EXPECT_EQ(found.target_language, "en");
  EXPECT_FALSE(found.clean_up_spaces);
  EXPECT_EQ(found.warnings, std::vector<std::string>{});
}

TEST(ModelFolderTest, TakesTheDefaultsOfTransformers) {
  const Folder folder;
  write_plain_folder(folder);
  folder.write("config.json", R"({"model_type": "marian"})");
  folder.remove("generation_config.json");
  const ModelFolder found = read_model_folder(folder.path());
  const ModelConfig& config = found.config;
  EXPECT_EQ(config.source_vocabulary, 58101U);
  EXPECT_EQ(config.model_dim, 1024U);
  EXPECT_EQ(config.encoder_layers, 12U);
  EXPECT_EQ(config.decoder_heads, 16U);
  EXPECT_EQ(config.decoder_ffn_dim, 4096U);
  EXPECT_EQ(config.activation, Activation::gelu);
  EXPECT_FALSE(config.scale_embedding);
  EXPECT_EQ(config.max_positions, 1024U);
  EXPECT_EQ(config.pad_id, 58100);
  EXPECT_EQ(config.eos_id, 0);
  EXPECT_EQ(config.decoder_start_id, 58100);
  EXPECT_EQ(found.decoding.beam_size, 1U);
  EXPECT_EQ(found.decoding.max_length, 20U);
  EXPECT_EQ(found.decoding.length_penalty, 1);
  EXPECT_FALSE(found.decoding.early_stopping);
  EXPECT_TRUE(found.decoding.renormalize);
  EXPECT_EQ(found.decoding.forced_eos_id, 0);
  EXPECT_EQ(found.decoding.banned_ids, (std::vector<std::int32_t>{58100}));
}

TEST(ModelFolderTest, KnowsOtherNamesOfKeysAndActivations) {
  json other_names{{"d_model", nullptr},
                   {"hidden_size", 16},
                   {"encoder_layers", nullptr},
                   {"num_hidden_layers", 5},
                   {"encoder_attention_heads", nullptr},
                   {"num_attention_heads", 8},
                   {"activation_function", "silu"}};
  const ModelConfig config = read_with(other_names).config;
  EXPECT_EQ(config.model_dim, 16U);
  EXPECT_EQ(config.encoder_layers, 5U);
  EXPECT_EQ(config.encoder_heads, 8U);
  EXPECT_EQ(config.activation, Activation::swish);
  EXPECT_EQ(read_with({{"activation_function", "relu"}}).config.activation, Activation::relu);
  EXPECT_EQ(read_with({{"activation_function", "gelu_new"}}).config.activation,
            Activation::gelu_new);
}

TEST(ModelFolderTest, TakesDecodingFromGenerationConfigAlone) {
  const Decoding decoding =
      read_with({{"num_beams", 7}, {"length_penalty", 2.0}, {"forced_eos_token_id", 5}}).decoding;
  EXPECT_EQ(decoding.beam_size, 4U);
  EXPECT_EQ(decoding.length_penalty, 1);
  EXPECT_EQ(decoding.max_length, 30U);
  EXPECT_EQ(decoding.forced_eos_id, 3);
  EXPECT_EQ(decoding.banned_ids, (std::vector<std::int32_t>{49}));
  EXPECT_FALSE(decoding.native);
  const ModelFolder other = read_with({{"eos_token_id", {5}},
                                       {"forced_eos_token_id", nullptr},
                                       {"max_new_tokens", 9},
                                       {"early_stopping", true},
                                       {"length_penalty", 0.5},
                                       {"min_length", 4},
                                       {"renormalize_logits", false},
                                       {"bad_words_ids", {{7}, {5}}}},
                                      "generation_config.json");
  EXPECT_EQ(other.config.eos_id, 5);
  EXPECT_EQ(other.decoding.forced_eos_id, std::nullopt);
  EXPECT_EQ(other.decoding.max_length, 10U);
  EXPECT_EQ(other.decoding.min_length, 4U);
  EXPECT_TRUE(other.decoding.early_stopping);
  EXPECT_EQ(other.decoding.length_penalty, 0.5);
  EXPECT_FALSE(other.decoding.renormalize);
  EXPECT_EQ(other.decoding.banned_ids, (std::vector<std::int32_t>{7, 49}));
}

TEST(ModelFolderTest, TakesDecodingFromConfigWhereThereIsNoOther) {
  const Folder folder;
  write_plain_folder(folder);
  folder.remove("generation_config.json");
  json config = plain_config();
  config.update({{"num_beams", 6}, {"max_length", 31}, {"bad_words_ids", {{49}}}});
  folder.write("config.json", config.dump());
  const Decoding decoding = read_model_folder(folder.path()).decoding;
  EXPECT_EQ(decoding.beam_size, 6U);
  EXPECT_EQ(decoding.max_length, 31U);
  EXPECT_EQ(decoding.forced_eos_id, 3);
}

TEST(ModelFolderTest, ReadsTwoVocabularies) {
  const Folder folder;
  write_plain_folder(folder);
  json config = plain_config();
  config.update({{"share_encoder_decoder_embeddings", false}, {"decoder_vocab_size", 60}});
  folder.write("config.json", config.dump());
  folder.write(
      "generation_config.json",
      json(plain_generation())
          .patch(json::parse(R"([{"op": "replace", "path": "/bad_words_ids", "value": [[59]]}])"))
          .dump());
  folder.write("tokenizer_config.json",
               R"({"separate_vocabs": true, "clean_up_tokenization_spaces": true})");
  EXPECT_EQ(folder_error(folder), ": found no target_vocab.json");
  folder.write("target_vocab.json", "x");
  const ModelFolder found = read_model_folder(folder.path());
  EXPECT_TRUE(found.separate_vocabularies);
  EXPECT_TRUE(found.clean_up_spaces);
  EXPECT_EQ(found.config.source_vocabulary, 50U);
  EXPECT_EQ(found.config.target_vocabulary, 60U);
  EXPECT_EQ(found.target_vocabulary, folder.path() / "target_vocab.json");
  EXPECT_EQ(found.decoding.banned_ids, (std::vector<std::int32_t>{59}));
}

TEST(ModelFolderTest, WarnsOfSettingsThatAreLeftOut) {
  EXPECT_EQ(read_with({{"no_repeat_ngram_size", 3},
                       {"repetition_penalty", 1.0},
                       {"do_sample", true},
                       {"early_stopping", "never"},
                       {"forced_bos_token_id", 7}},
                      "generation_config.json")
                .warnings,
            (std::vector<std::string>{
                "generation_config.json: no_repeat_ngram_size 3 is left out: translations are "
                "chosen without it",
                "generation_config.json: forced_bos_token_id 7 is left out: translations are "
                "chosen without it",
                "generation_config.json: do_sample true is left out: translations are chosen "
                "without it",
                "generation_config.json: early_stopping \"never\" is left out: translations are "
                "chosen without it"}));
  EXPECT_EQ(read_with({{"decoder_vocab_size", 60}}).warnings,
            (std::vector<std::string>{
                "config.json: decoder_vocab_size 60 has no effect, since encoder and decoder share "
                "embeddings of vocab_size 50"}));
}

TEST(ModelFolderTest, RefusesOtherArchitectures) {
  EXPECT_EQ(config_error({{"model_type", "bart"}}),
            "/config.json: model_type: found \"bart\", allowed: \"marian\", the one architecture "
            "this program has");
  EXPECT_EQ(config_error({{"architectures", {"MarianForCausalLM"}}}),
            "/config.json: architectures: found [\"MarianForCausalLM\"], allowed: "
            "[\"MarianMTModel\"], the encoder and decoder with the output over the vocabulary");
  EXPECT_EQ(config_error({{"model_type", nullptr}, {"architectures", nullptr}}),
            "/config.json: model_type: found nothing, allowed: \"marian\", the one architecture "
            "this program has");
  EXPECT_EQ(
      config_error({{"normalize_before", true}, {"static_position_embeddings", false}}),
      "/config.json: normalize_before: found true, allowed: false, since in a Marian model "
      "layer norm comes behind every block; static_position_embeddings: found false, allowed: "
      "true, since in a Marian model positions are sinusoids, not learnt");
  EXPECT_EQ(config_error({{"normalize_embedding", true},
                          {"add_final_layer_norm", true},
                          {"is_encoder_decoder", false}}),
            "/config.json: is_encoder_decoder: found false, allowed: true, since in a Marian model "
            "a decoder without encoder does not translate; normalize_embedding: found true, "
            "allowed: false, since in a Marian model embeddings go into the first layer as they "
            "are; add_final_layer_norm: found true, allowed: false, since in a Marian model the "
            "last layer's output is the stack's");
}

TEST(ModelFolderTest, RefusesValuesOutOfRangeAllAtOnce) {
  EXPECT_EQ(
      config_error({{"d_model", "8"},
                    {"encoder_layers", 0},
                    {"decoder_attention_heads", 3},
                    {"activation_function", "tanh"},
                    {"pad_token_id", 50},
                    {"vocab_size", 1e9}}),
      "/config.json: activation_function: found \"tanh\", allowed: swish, silu, relu, gelu or "
      "gelu_new; d_model: found \"8\", allowed: a whole number from 1 to 16384; "
      "encoder_layers: found 0, allowed: a whole number from 1 to 256; "
      "decoder_attention_heads: found 3, allowed: a divisor of d_model, which is 1024; "
      "vocab_size: found 1000000000.0, allowed: a whole number from 1 to 16777216");
  EXPECT_EQ(config_error({{"pad_token_id", nullptr}, {"eos_token_id", -1}}),
            "/config.json: pad_token_id: found nothing, allowed: a token id from 0 to 49; "
            "eos_token_id: found -1, allowed: a token id from 0 to 49");
  EXPECT_EQ(
      generation_error({{"num_beams", 0},
                        {"max_length", 1},
                        {"early_stopping", 3},
                        {"bad_words_ids", {{1, 2}}},
                        {"eos_token_id", {0, 1}}}),
      "/generation_config.json: num_beams: found 0, allowed: a whole number from 1 to 4096; "
      "early_stopping: found 3, allowed: true or false; max_length: found 1, allowed: a whole "
      "number from 2 to 1048576; eos_token_id: found [0,1], allowed: a token id from 0 to 49; "
      "bad_words_ids: found a list, allowed: a list of words of one token id from 0 to 49 "
      "each");
}

TEST(ModelFolderTest, RefusesAnotherTokenizer) {
  const Folder folder;
  write_plain_folder(folder);
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "T5Tokenizer"})");
  EXPECT_EQ(folder_error(folder),
            "/tokenizer_config.json: tokenizer_class: found \"T5Tokenizer\", allowed: "
            "\"MarianTokenizer\", whose rules this program has");
}

TEST(ModelFolderTest, RefusesTextThatIsNoObject) {
  const Folder folder;
  write_plain_folder(folder);
  const auto error = [&](const std::string& text) {
    folder.write("config.json", text);
    return folder_error(folder);
  };
  EXPECT_EQ(error("{\"d_model\": 8,\n \"x\"}"),
            "/config.json: found text that is no JSON (line 2, column 5)");
  EXPECT_EQ(error("{\"d_model\":"), "/config.json: found text that is no JSON (line 1, column 12)");
  EXPECT_EQ(error("[1, 2]"), "/config.json: found [1,2], allowed: a JSON object");
  EXPECT_EQ(error(std::string(100, '[')), "/config.json: found JSON nested deeper than 64 levels");
  EXPECT_EQ(error("{\"x\": 1e999}"), "/config.json: found a number out of range");
  EXPECT_EQ(error(""), "/config.json: found an empty file");
  EXPECT_EQ(error(std::string((1U << 22U) + 1, ' ')),
            "/config.json: found more than 4194304 bytes, allowed: at most that");
}

TEST(ModelFolderTest, SaysWhatIsInPlaceOfAFile) {
  const Folder folder;
  write_plain_folder(folder);
  folder.write("target.spm", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n");
  EXPECT_EQ(folder_error(folder),
            "/target.spm: found a Git LFS pointer in place of the file; fetch it with 'git lfs "
            "pull', or download it");
  folder.write("target.spm", "x");
  folder.write("config.json", "\n <!DOCTYPE HTML><html>");
  EXPECT_EQ(folder_error(folder),
            "/config.json: found an HTML page in place of the file; download the file itself, not "
            "the page about it");
}

TEST(ModelFolderTest, NamesWhatIsMissing) {
  const Folder folder;
  EXPECT_EQ(folder_error(folder),
            ": found neither config.json, as in a folder from Hugging Face, nor decoder.yml, as in "
            "a package of native Marian");
  write_plain_folder(folder);
  for (const char* name : {"vocab.json", "source.spm", "target.spm", "model.safetensors"})
    folder.remove(name);
  EXPECT_EQ(folder_error(folder),
            ": found no vocab.json, no source.spm, no target.spm, no model.safetensors or "
            "pytorch_model.bin");
  folder.write("tf_model.h5", "x");
  for (const char* name : {"vocab.json", "source.spm", "target.spm"}) folder.write(name, "x");
  EXPECT_EQ(folder_error(folder),
            ": found no model.safetensors or pytorch_model.bin (tf_model.h5 is not read)");
  folder.write("pytorch_model.bin", "x");
  EXPECT_EQ(read_model_folder(folder.path()).weights, folder.path() / "pytorch_model.bin");
  EXPECT_EQ(files::model_error([] { read_model_folder("/nowhere/model"); }),
            "/nowhere/model: found no such folder");
}

}  // namespace
}  // namespace refran::marian
