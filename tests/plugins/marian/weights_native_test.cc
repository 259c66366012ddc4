// The tensors of native Marian: their names, [in, out] matrices turned, a row of zeros behind every
// table.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <marian/weights.h>

#include "model_files.h"

namespace refran::marian {
namespace {

using files::numbers;
using files::Tensors;
using files::weights_error;

// One row of zeros more than in the file.
ModelFolder native_folder() {
  ModelFolder folder = files::small_folder();
  folder.is_native = true;
  folder.config.position_table = PositionTable::native;
  return folder;
}

Tensors native_tensors() {
  Tensors tensors;
  const auto attention = [&](const std::string& name) {
    for (const char* part : {"q", "k", "v", "o"}) {
      tensors.add(name + "_W" + part, {4, 4});
      tensors.add(name + "_b" + part, {1, 4});
    }
    tensors.add(name + "_Wo_ln_scale", {1, 4});
    tensors.add(name + "_Wo_ln_bias", {1, 4});
  };
  const auto ffn = [&](const std::string& layer, std::size_t width) {
    tensors.add(layer + "ffn_W1", {4, width});
    tensors.add(layer + "ffn_b1", {1, width});
    tensors.add(layer + "ffn_W2", {width, 4});
    tensors.add(layer + "ffn_b2", {1, 4});
    tensors.add(layer + "ffn_ffn_ln_scale", {1, 4});
    tensors.add(layer + "ffn_ffn_ln_bias", {1, 4});
  };
  attention("encoder_l1_self");
  ffn("encoder_l1_", 3);
  attention("decoder_l1_self");
  attention("decoder_l1_context");
  ffn("decoder_l1_", 6);
  tensors.add("Wemb", {4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  tensors.add("decoder_ff_logit_out_b", {1, 4}, {1, 2, 3, 4});
  tensors.add("special:model.yml", {1}, std::vector<char>{0}, StoredType::int8);
  return tensors;
}

TEST(NativeWeightsTest, PutsEveryTensorAtItsPlace) {
  const Tensors tensors = native_tensors();
  const Weights weights = load_weights(native_folder(), tensors.checkpoint());
  const auto expect = [&](std::span<const float> values, const char* name, std::size_t size) {
    EXPECT_EQ(numbers(values), std::vector<float>(size, tensors.first(name))) << name;
  };
  const EncoderLayerWeights& encoder = weights.encoder.at(0);
  expect(encoder.self_attention.query.weight, "encoder_l1_self_Wq", 16);
  expect(encoder.self_attention.key.bias, "encoder_l1_self_bk", 4);
  expect(encoder.self_attention.value.weight, "encoder_l1_self_Wv", 16);
  expect(encoder.self_attention.output.bias, "encoder_l1_self_bo", 4);
  expect(encoder.self_attention_norm.scale, "encoder_l1_self_Wo_ln_scale", 4);
  expect(encoder.self_attention_norm.bias, "encoder_l1_self_Wo_ln_bias", 4);
  expect(encoder.ffn_in.weight, "encoder_l1_ffn_W1", 12);
  expect(encoder.ffn_in.bias, "encoder_l1_ffn_b1", 3);
  expect(encoder.ffn_out.weight, "encoder_l1_ffn_W2", 12);
  expect(encoder.ffn_out.bias, "encoder_l1_ffn_b2", 4);
  expect(encoder.ffn_norm.scale, "encoder_l1_ffn_ffn_ln_scale", 4);
  expect(encoder.ffn_norm.bias, "encoder_l1_ffn_ffn_ln_bias", 4);
  const DecoderLayerWeights& decoder = weights.decoder.at(0);
  expect(decoder.self_attention.query.weight, "decoder_l1_self_Wq", 16);
  expect(decoder.self_attention_norm.bias, "decoder_l1_self_Wo_ln_bias", 4);
  expect(decoder.cross_attention.query.weight, "decoder_l1_context_Wq", 16);
  expect(decoder.cross_attention.key.weight, "decoder_l1_context_Wk", 16);
  expect(decoder.cross_attention.value.bias, "decoder_l1_context_bv", 4);
  expect(decoder.cross_attention.output.weight, "decoder_l1_context_Wo", 16);
  expect(decoder.cross_attention_norm.scale, "decoder_l1_context_Wo_ln_scale", 4);
  expect(decoder.ffn_in.weight, "decoder_l1_ffn_W1", 24);
  expect(decoder.ffn_norm.bias, "decoder_l1_ffn_ffn_ln_bias", 4);
  EXPECT_EQ(numbers(weights.encoder_positions), position_table(PositionTable::native, 3, 4));
  EXPECT_EQ(weights.warnings, std::vector<std::string>{});
}

TEST(NativeWeightsTest, TurnsMatricesOfLayers) {
  Tensors tensors = native_tensors();
  tensors.add("encoder_l1_ffn_W1", {4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Weights weights = load_weights(native_folder(), tensors.checkpoint());
  EXPECT_EQ(numbers(weights.encoder[0].ffn_in.weight),
            (std::vector<float>{1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}));
}

TEST(NativeWeightsTest, PutsARowOfZerosBehindTheTables) {
  const Tensors tensors = native_tensors();
  const Weights weights = load_weights(native_folder(), tensors.checkpoint());
  const std::vector<float> table{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0, 0, 0, 0};
  EXPECT_EQ(numbers(weights.source_embedding), table);
  EXPECT_EQ(numbers(weights.target_embedding), table);
  EXPECT_EQ(weights.output.weight.data(), weights.target_embedding.data());
  EXPECT_EQ(numbers(weights.output.bias), (std::vector<float>{1, 2, 3, 4, 0}));
}

TEST(NativeWeightsTest, TakesAnOutputMatrixOfItsOwnInBothForms) {
  ModelFolder folder = native_folder();
  folder.config.tied_output = false;
  Tensors tensors = native_tensors();
  EXPECT_EQ(weights_error(folder, tensors), "model.bin: found no tensor decoder_ff_logit_out_Wt");
  std::vector<float> matrix(16);
  for (std::size_t i = 0; i < 16; ++i) matrix[i] = static_cast<float>(i);
  tensors.add("decoder_ff_logit_out_Wt", {4, 4}, matrix);
  Weights weights = load_weights(folder, tensors.checkpoint());
  EXPECT_EQ(numbers(weights.output.weight),
            (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0}));
  tensors.remove("decoder_ff_logit_out_Wt");
  tensors.add("decoder_ff_logit_out_W", {4, 4}, matrix);
  weights = load_weights(folder, tensors.checkpoint());
  EXPECT_EQ(numbers(weights.output.weight),
            (std::vector<float>{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 0, 0, 0}));
}

TEST(NativeWeightsTest, TakesTwoTablesAndNoBias) {
  ModelFolder folder = native_folder();
  folder.config.shared_embeddings = false;
  folder.config.target_vocabulary = 3;
  Tensors tensors = native_tensors();
  tensors.remove("Wemb");
  tensors.remove("decoder_ff_logit_out_b");
  tensors.add("encoder_Wemb", {4, 4});
  tensors.add("decoder_Wemb", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Weights weights = load_weights(folder, tensors.checkpoint());
  EXPECT_EQ(weights.source_embedding.size(), 20U);
  EXPECT_EQ(weights.source_embedding[15], tensors.first("encoder_Wemb"));
  EXPECT_EQ(weights.source_embedding[16], 0);
  EXPECT_EQ(numbers(weights.target_embedding),
            (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0}));
  EXPECT_EQ(numbers(weights.output.bias), std::vector<float>(3));
}

TEST(NativeWeightsTest, TellsWhatDoesNotFit) {
  Tensors tensors = native_tensors();
  tensors.add("Wemb", {5, 4});
  tensors.add("encoder_l1_ffn_W2", {3, 4}, std::vector<std::int8_t>(12), StoredType::int8);
  EXPECT_EQ(weights_error(native_folder(), tensors),
            "model.bin: encoder_l1_ffn_W2 holds int8, allowed: float32, float16, bfloat16 or "
            "float64; Wemb has shape [5, 4], special:model.yml asks for [4, 4]");
}

}  // namespace
}  // namespace refran::marian
