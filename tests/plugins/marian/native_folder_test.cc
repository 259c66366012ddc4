// What a package of native Marian says of its model, and the whole text of every refusal.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <marian/model_config.h>

#include "checkpoint_files.h"
#include "model_files.h"

namespace refran::marian {
namespace {

using files::error_behind_folder;
using files::Folder;
using files::folder_error;

const std::string kOptions =
    "dim-emb: 8\ndim-vocabs:\n  - 50\n  - 50\nenc-depth: 2\ndec-depth: 3\ntransformer-heads: 4\n"
    "transformer-dim-ffn: 16\ntransformer-ffn-activation: swish\ntransformer-preprocess: \"\"\n"
    "transformer-postprocess: dan\ntransformer-postprocess-emb: d\ntied-embeddings-all: true\n"
    "transformer-tied-layers:\n  []\ntype: transformer\nversion: v1.9.0 1e2 2020-06-01 10:00\n";

const std::string kDecoderYml =
    "relative-paths: true\nmodels:\n  - opus.npz\nvocabs:\n  - opus.vocab.yml\n"
    "  - opus.vocab.yml\nbeam-size: 6\nnormalize: 1\nword-penalty: 0\n";

// An npz that holds the options, and nothing else.
std::string npz(const std::string& options) {
  const std::string header = files::npy_header("|i1", fmt::format("({},)", options.size()));
  return files::zip({files::stored("special:model.yml.npy", files::npy(header, options))});
}

void write_package(const Folder& folder, const std::string& options = kOptions) {
  folder.write("decoder.yml", kDecoderYml);
  folder.write("opus.npz", npz(options + std::string(1, '\0')));
  folder.write("opus.vocab.yml", "</s>: 2\n<unk>: 1\n\"a\": 0\n");
  folder.write("source.spm", "x");
  folder.write("target.spm", "x");
}

ModelFolder read_package(const std::string& options) {
  const Folder folder;
  write_package(folder, options);
  return read_model_folder(folder.path());
}

// The options with one line in place of another.
std::string options_with(const std::string& line, const std::string& by) {
  std::string options = kOptions;
  return options.replace(options.find(line), line.size(), by);
}

std::string options_error(const std::string& options) {
  return error_behind_folder([&] { read_package(options); });
}

std::string decoder_error(const std::string& text) {
  const Folder folder;
  write_package(folder);
  folder.write("decoder.yml", text);
  return folder_error(folder);
}

TEST(NativeFolderTest, ReadsTheArchitecture) {
  const ModelFolder folder = read_package(kOptions);
  EXPECT_TRUE(folder.is_native);
  const ModelConfig& config = folder.config;
  EXPECT_EQ(config.source_vocabulary, 51U);  // with the row of zeros
  EXPECT_EQ(config.target_vocabulary, 51U);
  EXPECT_EQ(config.model_dim, 8U);
  EXPECT_EQ(config.encoder_layers, 2U);
  EXPECT_EQ(config.decoder_layers, 3U);
  EXPECT_EQ(config.encoder_heads, 4U);
  EXPECT_EQ(config.decoder_heads, 4U);
  EXPECT_EQ(config.encoder_ffn_dim, 16U);
  EXPECT_EQ(config.decoder_ffn_dim, 16U);
  EXPECT_EQ(config.activation, Activation::swish);
  EXPECT_TRUE(config.scale_embedding);
  EXPECT_TRUE(config.shared_embeddings);
  EXPECT_TRUE(config.tied_output);
  EXPECT_EQ(config.layer_norm_epsilon, 1e-6F);
  EXPECT_EQ(config.position_table, PositionTable::native);
  EXPECT_EQ(config.max_positions, 1024U);
  EXPECT_EQ(config.pad_id, 50);
  EXPECT_EQ(config.decoder_start_id, 50);
  EXPECT_EQ(config.eos_id, 2);
  EXPECT_EQ(folder.warnings, std::vector<std::string>{});
}

TEST(NativeFolderTest, ReadsTheSearch) {
  const Decoding decoding = read_package(kOptions).decoding;
  EXPECT_TRUE(decoding.native);
  EXPECT_EQ(decoding.beam_size, 6U);
  EXPECT_EQ(decoding.length_penalty, 1);
  EXPECT_EQ(decoding.word_penalty, 0);
  EXPECT_EQ(decoding.max_length_factor, 3);
  EXPECT_EQ(decoding.max_length, 1024U);
  EXPECT_EQ(decoding.forced_eos_id, std::nullopt);
  EXPECT_EQ(decoding.banned_ids, (std::vector<std::int32_t>{50, 1}));
  EXPECT_FALSE(decoding.renormalize);
  const Folder folder;
  write_package(folder);
  folder.write("decoder.yml",
               "models: [opus.npz]\nvocabs: [opus.vocab.yml, opus.vocab.yml]\nallow-unk: true\n"
               "word-penalty: -0.5\nmax-length-factor: 2.5\n");
  const Decoding other = read_model_folder(folder.path()).decoding;
  EXPECT_EQ(other.beam_size, 12U);
  EXPECT_EQ(other.length_penalty, 0);
  EXPECT_EQ(other.word_penalty, -0.5);
  EXPECT_EQ(other.max_length_factor, 2.5);
  EXPECT_EQ(other.banned_ids, (std::vector<std::int32_t>{50}));
}

TEST(NativeFolderTest, ReadsTwoVocabularies) {
  const Folder folder;
  write_package(folder, options_with("dim-vocabs:\n  - 50\n  - 50\n", "dim-vocabs: [50, 60]\n") +
                            "tied-embeddings: true\ntransformer-decoder-dim-ffn: 12\n");
  folder.write("decoder.yml", "models: [opus.npz]\nvocabs: [a.src.vocab.yml, a.trg.vocab.yml]\n");
  EXPECT_EQ(folder_error(folder), ": found no a.src.vocab.yml, no a.trg.vocab.yml");
  folder.write("a.src.vocab.yml", "</s>: 0\n<unk>: 1\n");
  folder.write("a.trg.vocab.yml", "</s>: 0\n<unk>: 7\n");
  EXPECT_EQ(folder_error(folder),
            "/opus.npz: special:model.yml: dim-vocabs: found [50, 60], allowed: the size of the "
            "vocabulary, twice");
  std::string options = options_with("dim-vocabs:\n  - 50\n  - 50\n", "dim-vocabs: [50, 60]\n") +
                        "tied-embeddings: true\ntransformer-decoder-dim-ffn: 12\n";
  options.replace(options.find("all: true"), 9, "all: false");
  folder.write("opus.npz", npz(options));
  const ModelFolder found = read_model_folder(folder.path());
  EXPECT_TRUE(found.separate_vocabularies);
  EXPECT_FALSE(found.config.shared_embeddings);
  EXPECT_TRUE(found.config.tied_output);
  EXPECT_EQ(found.config.source_vocabulary, 51U);
  EXPECT_EQ(found.config.target_vocabulary, 61U);
  EXPECT_EQ(found.config.decoder_ffn_dim, 12U);
  EXPECT_EQ(found.config.pad_id, 60);
  EXPECT_EQ(found.decoding.banned_ids, (std::vector<std::int32_t>{60, 7}));
  EXPECT_EQ(found.files.size(), 6U);
  folder.write("a.trg.vocab.yml", "</s>: 3\n<unk>: 7\n");
  const std::string error = folder_error(folder);
  EXPECT_EQ(error,
            "/a.trg.vocab.yml: found '</s>' with id 3, but 0 in a.src.vocab.yml; allowed: one id");
}

TEST(NativeFolderTest, CutsOptionsAtTheFirstNul) {
  EXPECT_EQ(read_package(kOptions + std::string(1, '\0') + "not: [yaml").config.model_dim, 8U);
}

TEST(NativeFolderTest, TellsTheFormsOfGeluByTheVersion) {
  const std::string gelu = "transformer-ffn-activation: gelu\n";
  const std::string old = options_with("transformer-ffn-activation: swish\n", gelu);
  const ModelFolder found = read_package(old);
  EXPECT_EQ(found.config.activation, Activation::gelu_sigmoid);
  EXPECT_EQ(found.warnings,
            (std::vector<std::string>{"gelu of Marian 'v1.9.0 1e2 2020-06-01 10:00' is taken as x "
                                      "sigmoid(1.702 x): the form changed in March 2023"}));
  std::string recent = old;
  recent.replace(recent.find("2020-06"), 7, "2023-11");
  EXPECT_EQ(read_package(recent).config.activation, Activation::gelu);
}

TEST(NativeFolderTest, AcceptsStepsThatDifferInDropoutAlone) {
  EXPECT_EQ(read_package(options_with("postprocess: dan", "postprocess: an")).config.model_dim, 8U);
  EXPECT_EQ(
      read_package(options_with("postprocess-emb: d", "postprocess-emb: \"\"")).config.model_dim,
      8U);
}

TEST(NativeFolderTest, RefusesOtherArchitectures) {
  EXPECT_EQ(options_error(options_with("type: transformer", "type: s2s")),
            "/opus.npz: special:model.yml: type: found 's2s', allowed: transformer, the one "
            "architecture this program has");
  EXPECT_EQ(options_error(kOptions + "transformer-decoder-autoreg: rnn\nright-left: true\n"),
            "/opus.npz: special:model.yml: transformer-decoder-autoreg: found 'rnn', allowed: "
            "self-attention, since in the models this program has the decoder's other forms do not "
            "attend to what was written; right-left: found 'true', allowed: false, since in the "
            "models this program has the decoder writes from left to right");
  EXPECT_EQ(
      options_error(options_with("preprocess: \"\"", "preprocess: n")),
      "/opus.npz: special:model.yml: transformer-preprocess: found 'n', allowed: '', since in "
      "the models this program has nothing comes before a block");
  EXPECT_EQ(options_error(options_with("layers:\n  []", "layers: [1, 1]")),
            "/opus.npz: special:model.yml: transformer-tied-layers: found [1, 1], allowed: [], "
            "since every layer has its own weights");
}

TEST(NativeFolderTest, RefusesSizesThatDoNotFit) {
  EXPECT_EQ(options_error(options_with("dim-emb: 8", "dim-emb: 7")),
            "/opus.npz: special:model.yml: transformer-heads: found '4', allowed: a divisor of "
            "dim-emb, which is 7; dim-emb: found '7', allowed: an even number from 4, half of it "
            "for sines and half for cosines");
  EXPECT_EQ(
      options_error(options_with("enc-depth: 2\n", "")),
      "/opus.npz: special:model.yml: enc-depth: found nothing, allowed: a whole number from 1 "
      "to 256");
  EXPECT_EQ(options_error(options_with("dec-depth: 3", "dec-depth: 0x3")),
            "/opus.npz: special:model.yml: dec-depth: found '0x3', allowed: a whole number from 1 "
            "to 256");
  EXPECT_EQ(options_error(options_with("all: true", "all: maybe")),
            "/opus.npz: special:model.yml: tied-embeddings-all: found 'maybe', allowed: true or "
            "false");
}

TEST(NativeFolderTest, RefusesWhatDecoderYmlCannotHave) {
  EXPECT_EQ(
      decoder_error("models: [a.npz, b.npz]\nvocabs: [a.vocab.yml]\nnormalize: -1\n"),
      "/decoder.yml: models: found [a.npz, b.npz], allowed: one file; a vote of several "
      "models is not supported; vocabs: found [a.vocab.yml], allowed: two files, the source's "
      "and the target's vocabulary; normalize: found '-1', allowed: a number from 0");
  EXPECT_EQ(decoder_error("models: [opus.npz]\nvocabs: [a.spm, a.spm]\n"),
            "/decoder.yml: vocabs: found [a.spm, a.spm], allowed: files that list tokens and their "
            "ids, as '….vocab.yml'");
}

TEST(NativeFolderTest, RefusesYamlThatIsNotFlat) {
  EXPECT_EQ(decoder_error("a: &x 1\nb: *x\n"),
            "/decoder.yml:2:4: found an alias ('*'), allowed: none");
  EXPECT_EQ(decoder_error("a: 1\na: 2\n"), "/decoder.yml:2:1: found 'a' a second time");
  EXPECT_EQ(decoder_error("- a\n"), "/decoder.yml:1:1: found a list, allowed: a map of options");
  EXPECT_EQ(decoder_error("text\n"), "/decoder.yml:1:1: found no map, allowed: a map of options");
  EXPECT_EQ(decoder_error("a: " + std::string(40, '[') + std::string(40, ']')),
            "/decoder.yml:1:19: found nesting beyond 16 levels");
  EXPECT_EQ(decoder_error("a: [1\n"),
            "/decoder.yml:2:1: found text that is no YAML (end of sequence flow not found)");
  EXPECT_EQ(decoder_error("? [a]\n: 1\n"),
            "/decoder.yml:1:3: found a list or map as a key, allowed: a text");
}

TEST(NativeFolderTest, NamesWhatIsMissing) {
  const Folder folder;
  write_package(folder);
  folder.remove("source.spm");
  folder.remove("opus.npz");
  EXPECT_EQ(folder_error(folder), ": found no source.spm, no opus.npz");
  folder.write("source.bpe", "x");
  EXPECT_EQ(folder_error(folder),
            ": found no source.spm, no opus.npz (source.bpe is there: models of Moses tokens and "
            "BPE are not supported)");
  write_package(folder);
  folder.write("opus.npz", files::good_npz());
  EXPECT_EQ(folder_error(folder),
            "/opus.npz: special:model.yml: type: found nothing, allowed: transformer, the one "
            "architecture this program has");
  folder.write(
      "opus.npz",
      files::zip({files::stored("a.npy", files::npy(files::npy_header("<f4", "(1,)"), "0000"))}));
  EXPECT_EQ(folder_error(folder),
            "/opus.npz: found no 'special:model.yml', allowed: a model of Marian, which keeps its "
            "options there");
}

}  // namespace
}  // namespace refran::marian
