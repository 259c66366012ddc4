// Tensors at their places in the model, in place or converted, tied or not, and every refusal.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <marian/weights.h>

#include "model_files.h"

namespace refran::marian {
namespace {

using files::numbers;
using files::small_folder;
using files::small_tensors;
using files::Tensors;
using files::weights_error;

// That `values` has `size` numbers, all of them the tensor's.
void expect_is(std::span<const float> values, const Tensors& tensors, const std::string& name,
               std::size_t size) {
  EXPECT_EQ(numbers(values), std::vector<float>(size, tensors.first(name))) << name;
}

void expect_linear(const LinearWeights& linear, const Tensors& tensors, const std::string& name,
                   std::size_t out, std::size_t in) {
  expect_is(linear.weight, tensors, name + ".weight", out * in);
  expect_is(linear.bias, tensors, name + ".bias", out);
}

void expect_norm(const NormWeights& norm, const Tensors& tensors, const std::string& name) {
  expect_is(norm.scale, tensors, name + ".weight", 4);
  expect_is(norm.bias, tensors, name + ".bias", 4);
}

void expect_attention(const AttentionWeights& attention, const NormWeights& norm,
                      const Tensors& tensors, const std::string& name) {
  expect_linear(attention.query, tensors, name + ".q_proj", 4, 4);
  expect_linear(attention.key, tensors, name + ".k_proj", 4, 4);
  expect_linear(attention.value, tensors, name + ".v_proj", 4, 4);
  expect_linear(attention.output, tensors, name + ".out_proj", 4, 4);
  expect_norm(norm, tensors, name + "_layer_norm");
}

TEST(WeightsTest, PutsEveryTensorAtItsPlace) {
  const Tensors tensors = small_tensors();
  const Weights weights = load_weights(small_folder(), tensors.checkpoint());
  ASSERT_EQ(weights.encoder.size(), 1U);
  ASSERT_EQ(weights.decoder.size(), 1U);
  const EncoderLayerWeights& encoder = weights.encoder[0];
  const std::string e = "model.encoder.layers.0.";
  expect_attention(encoder.self_attention, encoder.self_attention_norm, tensors, e + "self_attn");
  expect_linear(encoder.ffn_in, tensors, e + "fc1", 3, 4);
  expect_linear(encoder.ffn_out, tensors, e + "fc2", 4, 3);
  expect_norm(encoder.ffn_norm, tensors, e + "final_layer_norm");
  const DecoderLayerWeights& decoder = weights.decoder[0];
  const std::string d = "model.decoder.layers.0.";
  expect_attention(decoder.self_attention, decoder.self_attention_norm, tensors, d + "self_attn");
  expect_attention(decoder.cross_attention, decoder.cross_attention_norm, tensors,
                   d + "encoder_attn");
  expect_linear(decoder.ffn_in, tensors, d + "fc1", 6, 4);
  expect_linear(decoder.ffn_out, tensors, d + "fc2", 4, 6);
  expect_norm(decoder.ffn_norm, tensors, d + "final_layer_norm");
  expect_is(weights.source_embedding, tensors, "model.shared.weight", 20);
  expect_is(weights.target_embedding, tensors, "model.shared.weight", 20);
  expect_is(weights.output.weight, tensors, "model.shared.weight", 20);
  expect_is(weights.output.bias, tensors, "final_logits_bias", 5);
  EXPECT_EQ(numbers(weights.encoder_positions), position_table(PositionTable::hugging_face, 3, 4));
  EXPECT_EQ(weights.decoder_positions.data(), weights.encoder_positions.data());
  EXPECT_EQ(weights.warnings, std::vector<std::string>{});
}

TEST(WeightsTest, UsesFloat32WhereItLies) {
  const Tensors tensors = small_tensors();
  const Weights weights = load_weights(small_folder(), tensors.checkpoint());
  const auto address = [](std::span<const float> values) {
    return reinterpret_cast<const std::byte*>(values.data());
  };
  EXPECT_EQ(address(weights.encoder[0].ffn_in.weight),
            tensors.bytes("model.encoder.layers.0.fc1.weight"));
  EXPECT_EQ(address(weights.source_embedding), tensors.bytes("model.shared.weight"));
  EXPECT_EQ(address(weights.output.weight), tensors.bytes("model.shared.weight"));
  EXPECT_EQ(address(weights.output.bias), tensors.bytes("final_logits_bias"));
}

TEST(WeightsTest, ConvertsOtherTypes) {
  Tensors tensors = small_tensors();
  const std::string layer = "model.encoder.layers.0.";
  const std::vector<std::uint16_t> halves{0x3C00, 0xC000, 0x0001, 0x7BFF};
  tensors.add(layer + "self_attn.q_proj.bias", {4}, halves, StoredType::float16);
  const std::vector<std::uint16_t> brains{0x3F80, 0xC000, 0x0001, 0x7F7F};
  tensors.add(layer + "self_attn.k_proj.bias", {4}, brains, StoredType::bfloat16);
  tensors.add(layer + "self_attn.v_proj.bias", {4}, std::vector<double>{1, -2, 0.1, 1e-50},
              StoredType::float64);
  const Weights weights = load_weights(small_folder(), tensors.checkpoint());
  const AttentionWeights& attention = weights.encoder[0].self_attention;
  EXPECT_EQ(numbers(attention.query.bias), (std::vector<float>{1, -2, 0x1p-24F, 65504}));
  EXPECT_EQ(numbers(attention.key.bias), (std::vector<float>{1, -2, 0x1p-133F, 0x1.FEp127F}));
  EXPECT_EQ(numbers(attention.value.bias), (std::vector<float>{1, -2, 0.1F, 0}));
}

TEST(WeightsTest, ReadsStridedAndMisalignedTensors) {
  Tensors tensors = small_tensors();
  const std::string layer = "model.encoder.layers.0.";
  // fc1 [3, 4] from its transpose in memory [4, 3], fc2's bias from every second number, and a bias
  // that begins at an odd address.
  tensors.add(layer + "fc1.weight", {4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  StoredTensor& matrix = tensors[layer + "fc1.weight"];
  matrix.shape = {3, 4};
  matrix.strides = {1, 3};
  tensors.add(layer + "fc2.bias", {7}, {1, 0, 2, 0, 3, 0, 4});
  StoredTensor& vector = tensors[layer + "fc2.bias"];
  vector.shape = {4};
  vector.strides = {2};
  tensors.add(layer + "self_attn.q_proj.bias", {17}, std::vector<std::uint8_t>(17),
              StoredType::uint8);
  StoredTensor& odd = tensors[layer + "self_attn.q_proj.bias"];
  const std::array<float, 4> values{5, 6, 7, 8};
  std::vector<std::uint8_t> bytes(17);
  std::memcpy(bytes.data() + 1, values.data(), sizeof(values));
  odd = {odd.name, StoredType::float32, {4}, {1}, std::as_bytes(std::span(bytes)).subspan(1)};
  const Weights weights = load_weights(small_folder(), tensors.checkpoint());
  EXPECT_EQ(numbers(weights.encoder[0].ffn_in.weight),
            (std::vector<float>{1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}));
  EXPECT_EQ(numbers(weights.encoder[0].ffn_out.bias), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(numbers(weights.encoder[0].self_attention.query.bias),
            (std::vector<float>{5, 6, 7, 8}));
}

TEST(WeightsTest, TakesStoredPositionTables) {
  Tensors tensors = small_tensors();
  tensors.add("model.encoder.embed_positions.weight", {3, 4});
  const Weights weights = load_weights(small_folder(), tensors.checkpoint());
  expect_is(weights.encoder_positions, tensors, "model.encoder.embed_positions.weight", 12);
  EXPECT_EQ(numbers(weights.decoder_positions), position_table(PositionTable::hugging_face, 3, 4));
  EXPECT_EQ(weights.warnings, std::vector<std::string>{});
  tensors.add("model.decoder.embed_positions.weight", {2, 4});
  EXPECT_EQ(
      weights_error(small_folder(), tensors),
      "model.bin: model.decoder.embed_positions.weight has shape [2, 4], config.json asks for "
      "[3, 4]");
}

TEST(WeightsTest, TakesABiasOfEitherShapeOrNone) {
  Tensors tensors = small_tensors();
  tensors.add("final_logits_bias", {5});
  Weights weights = load_weights(small_folder(), tensors.checkpoint());
  expect_is(weights.output.bias, tensors, "final_logits_bias", 5);
  tensors.remove("final_logits_bias");
  weights = load_weights(small_folder(), tensors.checkpoint());
  EXPECT_EQ(numbers(weights.output.bias), std::vector<float>(5));
  tensors.add("final_logits_bias", {1, 6});
  EXPECT_EQ(weights_error(small_folder(), tensors),
            "model.bin: final_logits_bias has shape [1, 6], config.json asks for [5]");
}

TEST(WeightsTest, NamesAllMissingTensors) {
  Tensors tensors = small_tensors();
  tensors.remove("model.shared.weight");
  tensors.remove("model.encoder.layers.0.fc1.bias");
  tensors.remove("model.decoder.layers.0.encoder_attn.k_proj.weight");
  EXPECT_EQ(weights_error(small_folder(), tensors),
            "model.bin: found no tensor model.encoder.layers.0.fc1.bias, "
            "model.decoder.layers.0.encoder_attn.k_proj.weight, model.shared.weight");
}

TEST(WeightsTest, RefusesOtherShapesAndTypes) {
  Tensors tensors = small_tensors();
  tensors.add("model.encoder.layers.0.fc1.weight", {4, 3});
  tensors.add("model.encoder.layers.0.fc2.bias", {4}, std::vector<std::int32_t>(4),
              StoredType::int32);
  tensors.remove("model.encoder.layers.0.fc2.weight");
  EXPECT_EQ(weights_error(small_folder(), tensors),
            "model.bin: found no tensor model.encoder.layers.0.fc2.weight; "
            "model.encoder.layers.0.fc1.weight has shape [4, 3], config.json asks for [3, 4]; "
            "model.encoder.layers.0.fc2.bias holds int32, allowed: float32, float16, bfloat16 or "
            "float64");
}

TEST(WeightsTest, RefusesNumbersThatAreNotFinite) {
  Tensors tensors = small_tensors();
  const std::string bias = "model.decoder.layers.0.fc2.bias";
  tensors.add(bias, {4}, {0, 1, std::nanf(""), 3});
  EXPECT_EQ(weights_error(small_folder(), tensors),
            "model.bin: " + bias + " holds NaN among its numbers, allowed: finite ones");
  tensors.add(bias, {4}, std::vector<std::uint16_t>{0, 0, 0, 0xFC00}, StoredType::float16);
  EXPECT_EQ(
      weights_error(small_folder(), tensors),
      "model.bin: " + bias + " holds an infinite one among its numbers, allowed: finite ones");
}

TEST(WeightsTest, WarnsOfTensorsThatNothingUses) {
  Tensors tensors = small_tensors();
  tensors.add("model.encoder.layers.1.fc1.bias", {3});
  tensors.add("model.encoder.layer_norm.weight", {4});
  EXPECT_EQ(load_weights(small_folder(), tensors.checkpoint()).warnings,
            (std::vector<std::string>{"tensors that nothing uses: model.encoder.layer_norm.weight, "
                                      "model.encoder.layers.1.fc1.bias"}));
}

}  // namespace
}  // namespace refran::marian
