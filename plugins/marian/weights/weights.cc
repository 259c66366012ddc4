#include "../weights.h"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "embeddings.h"
#include "tensor_reader.h"

namespace refran::marian {
namespace {

// A linear map or a layer norm within a layer, and its tensors' names in both kinds of checkpoint.
struct Part {
  const char* hugging_face;  // followed by ".weight" and ".bias"
  const char* native_weight;
  const char* native_bias;
};

constexpr Part kSelfQuery{"self_attn.q_proj", "self_Wq", "self_bq"};
constexpr Part kSelfKey{"self_attn.k_proj", "self_Wk", "self_bk"};
constexpr Part kSelfValue{"self_attn.v_proj", "self_Wv", "self_bv"};
constexpr Part kSelfOutput{"self_attn.out_proj", "self_Wo", "self_bo"};
constexpr Part kSelfNorm{"self_attn_layer_norm", "self_Wo_ln_scale", "self_Wo_ln_bias"};
constexpr Part kCrossQuery{"encoder_attn.q_proj", "context_Wq", "context_bq"};
constexpr Part kCrossKey{"encoder_attn.k_proj", "context_Wk", "context_bk"};
constexpr Part kCrossValue{"encoder_attn.v_proj", "context_Wv", "context_bv"};
constexpr Part kCrossOutput{"encoder_attn.out_proj", "context_Wo", "context_bo"};
constexpr Part kCrossNorm{"encoder_attn_layer_norm", "context_Wo_ln_scale", "context_Wo_ln_bias"};
constexpr Part kFfnIn{"fc1", "ffn_W1", "ffn_b1"};
constexpr Part kFfnOut{"fc2", "ffn_W2", "ffn_b2"};
constexpr Part kFfnNorm{"final_layer_norm", "ffn_ffn_ln_scale", "ffn_ffn_ln_bias"};

// Reads the parts of one layer.
class LayerReader {
 public:
  LayerReader(const ModelFolder& folder, const char* side, std::size_t layer, TensorReader& reader)
      : is_native_(folder.is_native),
        prefix_(folder.is_native ? fmt::format("{}_l{}_", side, layer + 1)
                                 : fmt::format("model.{}.layers.{}.", side, layer)),
        model_dim_(folder.config.model_dim),
        reader_(reader) {}

  // Native Marian multiplies from the other side, so that its matrices are [in, out].
  LinearWeights linear(const Part& part, std::size_t out, std::size_t in) {
    const Layout layout = is_native_ ? Layout::transposed : Layout::as_wanted;
    return {reader_.matrix(weight_name(part), out, in, layout),
            reader_.vector(bias_name(part), out)};
  }
  NormWeights norm(const Part& part) {
    return {reader_.vector(weight_name(part), model_dim_),
            reader_.vector(bias_name(part), model_dim_)};
  }
  AttentionWeights self_attention() {
    return {square(kSelfQuery), square(kSelfKey), square(kSelfValue), square(kSelfOutput)};
  }
  AttentionWeights cross_attention() {
    return {square(kCrossQuery), square(kCrossKey), square(kCrossValue), square(kCrossOutput)};
  }

 private:
  LinearWeights square(const Part& part) { return linear(part, model_dim_, model_dim_); }
  std::string weight_name(const Part& part) const {
    return is_native_ ? prefix_ + part.native_weight : prefix_ + part.hugging_face + ".weight";
  }
  std::string bias_name(const Part& part) const {
    return is_native_ ? prefix_ + part.native_bias : prefix_ + part.hugging_face + ".bias";
  }

  bool is_native_;
  std::string prefix_;
  std::size_t model_dim_;
  TensorReader& reader_;
};

EncoderLayerWeights encoder_layer(const ModelFolder& folder, std::size_t layer,
                                  TensorReader& reader) {
  LayerReader parts(folder, "encoder", layer, reader);
  const std::size_t dim = folder.config.model_dim;
  const std::size_t ffn = folder.config.encoder_ffn_dim;
  EncoderLayerWeights weights;
  weights.self_attention = parts.self_attention();
  weights.self_attention_norm = parts.norm(kSelfNorm);
  weights.ffn_in = parts.linear(kFfnIn, ffn, dim);
  weights.ffn_out = parts.linear(kFfnOut, dim, ffn);
  weights.ffn_norm = parts.norm(kFfnNorm);
  return weights;
}

DecoderLayerWeights decoder_layer(const ModelFolder& folder, std::size_t layer,
                                  TensorReader& reader) {
  LayerReader parts(folder, "decoder", layer, reader);
  const std::size_t dim = folder.config.model_dim;
  const std::size_t ffn = folder.config.decoder_ffn_dim;
  DecoderLayerWeights weights;
  weights.self_attention = parts.self_attention();
  weights.self_attention_norm = parts.norm(kSelfNorm);
  weights.cross_attention = parts.cross_attention();
  weights.cross_attention_norm = parts.norm(kCrossNorm);
  weights.ffn_in = parts.linear(kFfnIn, ffn, dim);
  weights.ffn_out = parts.linear(kFfnOut, dim, ffn);
  weights.ffn_norm = parts.norm(kFfnNorm);
  return weights;
}

}  // namespace

Weights load_weights(const ModelFolder& folder, Checkpoint checkpoint) {
  TensorReader reader(std::move(checkpoint),
                      folder.is_native ? "special:model.yml" : "config.json");
  Weights weights;
  for (std::size_t layer = 0; layer < folder.config.encoder_layers; ++layer)
    weights.encoder.push_back(encoder_layer(folder, layer, reader));
  for (std::size_t layer = 0; layer < folder.config.decoder_layers; ++layer)
    weights.decoder.push_back(decoder_layer(folder, layer, reader));
  if (folder.is_native) {
    read_native_tables(folder.config, reader, weights);
  } else {
    read_hugging_face_tables(folder.config, reader, weights);
  }
  reader.finish();
  read_positions(folder.config, reader, weights);
  reader.finish();
  const std::vector<std::string> unused = reader.unused();
  if (!unused.empty())
    weights.warnings.push_back(
        fmt::format("tensors that nothing uses: {}", fmt::join(unused, ", ")));
  weights.owner = reader.owner();
  return weights;
}

}  // namespace refran::marian
