// Which table is used where files have it under one name, several, or with different values.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <marian/weights.h>

#include "model_files.h"

namespace refran::marian {
namespace {

using files::small_folder;
using files::small_tensors;
using files::Tensors;

constexpr const char* kShared = "model.shared.weight";
constexpr const char* kEncoder = "model.encoder.embed_tokens.weight";
constexpr const char* kDecoder = "model.decoder.embed_tokens.weight";
constexpr const char* kHead = "lm_head.weight";

bool is_table(std::span<const float> values, const Tensors& tensors, const char* name) {
  return reinterpret_cast<const std::byte*>(values.data()) == tensors.bytes(name);
}

TEST(TiedWeightsTest, TakesTheTableUnderAnyOfItsNames) {
  for (const char* name : {kShared, kEncoder, kDecoder, kHead}) {
    Tensors tensors = small_tensors();
    tensors.remove(kShared);
    tensors.add(name, {5, 4});
    const Weights weights = load_weights(small_folder(), tensors.checkpoint());
    EXPECT_TRUE(is_table(weights.source_embedding, tensors, name)) << name;
    EXPECT_TRUE(is_table(weights.target_embedding, tensors, name)) << name;
    EXPECT_TRUE(is_table(weights.output.weight, tensors, name)) << name;
    EXPECT_EQ(weights.warnings, std::vector<std::string>{}) << name;
  }
}

TEST(TiedWeightsTest, TakesEqualCopiesWithoutAWord) {
  Tensors tensors = small_tensors();
  const std::vector<float> values(20, tensors.first(kShared));
  tensors.add(kHead, {5, 4}, values);
  tensors.add(kEncoder, {5, 4}, std::vector<double>(values.begin(), values.end()),
              StoredType::float64);
  tensors.add(kDecoder, {5, 4});
  tensors[kDecoder].bytes = tensors[kShared].bytes;
  EXPECT_EQ(load_weights(small_folder(), tensors.checkpoint()).warnings,
            std::vector<std::string>{});
}

TEST(TiedWeightsTest, TakesTheSharedTableAgainstAHeadThatDiffers) {
  Tensors tensors = small_tensors();
  tensors.add(kHead, {5, 4});
  const Weights weights = load_weights(small_folder(), tensors.checkpoint());
  EXPECT_TRUE(is_table(weights.output.weight, tensors, kShared));
  EXPECT_EQ(weights.warnings,
            (std::vector<std::string>{
                "model.shared.weight and lm_head.weight differ, though the config says that they "
                "are one table: model.shared.weight is used for both, lm_head.weight is not "
                "(transformers 5 uses each as it is stored)"}));
}

TEST(TiedWeightsTest, TakesAHeadOfItsOwnWhereItIsNotTied) {
  ModelFolder folder = small_folder();
  folder.config.tied_output = false;
  Tensors tensors = small_tensors();
  EXPECT_EQ(files::model_error([&] { load_weights(folder, tensors.checkpoint()); }),
            "model.bin: found no tensor lm_head.weight");
  tensors.add(kHead, {5, 4});
  const Weights weights = load_weights(folder, tensors.checkpoint());
  EXPECT_TRUE(is_table(weights.target_embedding, tensors, kShared));
  EXPECT_TRUE(is_table(weights.output.weight, tensors, kHead));
  EXPECT_EQ(weights.warnings, std::vector<std::string>{});
}

TEST(TiedWeightsTest, TakesTwoTablesForTwoVocabularies) {
  ModelFolder folder = small_folder();
  folder.config.shared_embeddings = false;
  folder.config.target_vocabulary = 6;
  Tensors tensors = small_tensors();
  tensors.remove(kShared);
  tensors.add("final_logits_bias", {1, 6});
  EXPECT_EQ(files::model_error([&] { load_weights(folder, tensors.checkpoint()); }),
            "model.bin: found no tensor model.decoder.embed_tokens.weight, "
            "model.encoder.embed_tokens.weight");
  tensors.add(kEncoder, {5, 4});
  tensors.add(kDecoder, {6, 4});
  const Weights weights = load_weights(folder, tensors.checkpoint());
  EXPECT_TRUE(is_table(weights.source_embedding, tensors, kEncoder));
  EXPECT_TRUE(is_table(weights.target_embedding, tensors, kDecoder));
  EXPECT_TRUE(is_table(weights.output.weight, tensors, kDecoder));
}

}  // namespace
}  // namespace refran::marian
