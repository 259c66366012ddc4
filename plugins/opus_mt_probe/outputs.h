// What opus-mt-probe writes: every attention weight of every sentence, the tokens on both its axes,
// and the ablation study. Layers and heads are named L1, H1 … (counted from 1); axes count from 0.
#pragma once

#include <cstdint>
#include <string>

#include <refran/output.h>

namespace refran::opus_mt_probe {

// The list of items.
inline constexpr const char* kList = "sentence";

// What is written of one kind of attention.
struct KindOutputs {
  Output<float, 4> attention;
  Output<float, 4> norm_attention;
  Output<float, 4> value;
  Output<float, 4> head_output;
  Output<double, 2> entropy;
  Output<double, 2> confidence;
};

inline constexpr KindOutputs kEncoderSelf{
    .attention = {.name = "encoder_self_attention",
                  .dims = {"encoder_layer", "encoder_head", "source_query", "source_key"},
                  .unit = "1",
                  .doc = "Where every source token looks among the source tokens",
                  .rows_sum_to_one = true,
                  .per_item = kList},
    .norm_attention = {.name = "encoder_self_norm_attention",
                       .dims = {"encoder_layer", "encoder_head", "source_query", "source_key"},
                       .unit = "1",
                       .doc = "Length of weight times transformed value, encoder self-attention",
                       .per_item = kList},
    .value = {.name = "encoder_self_value",
              .dims = {"encoder_layer", "encoder_head", "source_key", "encoder_head_dim"},
              .unit = "1",
              .doc = "The value every head has at every key, encoder self-attention",
              .per_item = kList},
    .head_output = {.name = "encoder_self_head_output",
                    .dims = {"encoder_layer", "encoder_head", "source_query", "encoder_head_dim"},
                    .unit = "1",
                    .doc = "The average of values every head passes on, encoder self-attention",
                    .per_item = kList},
    .entropy = {.name = "encoder_self_entropy",
                .dims = {"encoder_layer", "encoder_head"},
                .unit = "nat",
                .doc = "Entropy of a head's weights, mean over queries, encoder self-attention",
                .per_item = kList},
    .confidence =
        {.name = "encoder_self_confidence",
         .dims = {"encoder_layer", "encoder_head"},
         .unit = "1",
         .doc = "A head's largest weight, mean over queries but </s>, encoder self-attention",
         .per_item = kList},
};

inline constexpr KindOutputs kDecoderSelf{
    .attention =
        {.name = "decoder_self_attention",
         .dims = {"decoder_layer", "decoder_head", "target_query", "target_key"},
         .unit = "1",
         .doc = "Where every step looks among the tokens read so far (later ones have weight 0)",
         .rows_sum_to_one = true,
         .per_item = kList},
    .norm_attention = {.name = "decoder_self_norm_attention",
                       .dims = {"decoder_layer", "decoder_head", "target_query", "target_key"},
                       .unit = "1",
                       .doc = "Length of weight times transformed value, decoder self-attention",
                       .per_item = kList},
    .value = {.name = "decoder_self_value",
              .dims = {"decoder_layer", "decoder_head", "target_key", "decoder_head_dim"},
              .unit = "1",
              .doc = "The value every head has at every key, decoder self-attention",
              .per_item = kList},
    .head_output = {.name = "decoder_self_head_output",
                    .dims = {"decoder_layer", "decoder_head", "target_query", "decoder_head_dim"},
                    .unit = "1",
                    .doc = "The average of values every head passes on, decoder self-attention",
                    .per_item = kList},
    .entropy = {.name = "decoder_self_entropy",
                .dims = {"decoder_layer", "decoder_head"},
                .unit = "nat",
                .doc = "Entropy of a head's weights, mean over queries, decoder self-attention",
                .per_item = kList},
    .confidence =
        {.name = "decoder_self_confidence",
         .dims = {"decoder_layer", "decoder_head"},
         .unit = "1",
         .doc = "A head's largest weight, mean over queries but </s>, decoder self-attention",
         .per_item = kList},
};

inline constexpr KindOutputs kCross{
    .attention = {.name = "cross_attention",
                  .dims = {"decoder_layer", "decoder_head", "target_query", "source_key"},
                  .unit = "1",
                  .doc = "Where every step looks among the source tokens",
                  .rows_sum_to_one = true,
                  .per_item = kList},
    .norm_attention = {.name = "cross_norm_attention",
                       .dims = {"decoder_layer", "decoder_head", "target_query", "source_key"},
                       .unit = "1",
                       .doc = "Length of weight times transformed value, cross-attention",
                       .per_item = kList},
    .value = {.name = "cross_value",
              .dims = {"decoder_layer", "decoder_head", "source_key", "decoder_head_dim"},
              .unit = "1",
              .doc = "The value every head has at every key, cross-attention",
              .per_item = kList},
    .head_output = {.name = "cross_head_output",
                    .dims = {"decoder_layer", "decoder_head", "target_query", "decoder_head_dim"},
                    .unit = "1",
                    .doc = "The average of values every head passes on, cross-attention",
                    .per_item = kList},
    .entropy = {.name = "cross_entropy",
                .dims = {"decoder_layer", "decoder_head"},
                .unit = "nat",
                .doc = "Entropy of a head's weights, mean over queries, cross-attention",
                .per_item = kList},
    .confidence = {.name = "cross_confidence",
                   .dims = {"decoder_layer", "decoder_head"},
                   .unit = "1",
                   .doc = "A head's largest weight, mean over queries but </s>, cross-attention",
                   .per_item = kList},
};

// Per sentence: its tokens.
inline constexpr Output<std::int32_t, 1> kSourceId{.name = "source_id",
                                                   .dims = {"source_key"},
                                                   .unit = "1",
                                                   .doc = "Ids of the source tokens",
                                                   .per_item = kList};
inline constexpr Output<std::int32_t, 1> kInputId{.name = "input_id",
                                                  .dims = {"target_query"},
                                                  .unit = "1",
                                                  .doc = "Id of the token that every step reads",
                                                  .per_item = kList};
inline constexpr Output<std::int32_t, 1> kPredictedId{
    .name = "predicted_id",
    .dims = {"target_query"},
    .unit = "1",
    .doc = "Id of the token that every step writes",
    .per_item = kList};
inline constexpr Output<std::string, 1> kInputToken{.name = "input_token",
                                                    .dims = {"target_query"},
                                                    .unit = "1",
                                                    .doc = "The token that every step reads",
                                                    .per_item = kList};
inline constexpr Output<std::string, 1> kPredictedToken{.name = "predicted_token",
                                                        .dims = {"target_query"},
                                                        .unit = "1",
                                                        .doc = "The token that every step writes",
                                                        .per_item = kList};
inline constexpr Output<float, 1> kLogProbability{.name = "log_probability",
                                                  .dims = {"target_query"},
                                                  .unit = "nat",
                                                  .doc = "Log-probability of the written token",
                                                  .per_item = kList};
inline constexpr Output<std::int32_t, 2> kRunnerUpId{
    .name = "runner_up_id",
    .dims = {"target_query", "rank"},
    .unit = "1",
    .doc = "Ids of the most likely tokens other than the written one",
    .per_item = kList};
inline constexpr Output<std::string, 2> kRunnerUpToken{
    .name = "runner_up_token",
    .dims = {"target_query", "rank"},
    .unit = "1",
    .doc = "The most likely tokens other than the written one",
    .per_item = kList};
inline constexpr Output<float, 2> kRunnerUpLogProbability{.name = "runner_up_log_probability",
                                                          .dims = {"target_query", "rank"},
                                                          .unit = "nat",
                                                          .doc = "Their log-probabilities",
                                                          .per_item = kList};

// Per sentence: from tokens to words. Indices of words count from 0.
inline constexpr Output<std::string, 1> kSourceWord{.name = "source_word",
                                                    .dims = {"source_word_index"},
                                                    .unit = "1",
                                                    .doc = "The words of the sentence",
                                                    .per_item = kList};
inline constexpr Output<std::int32_t, 1> kSourceWordOf{
    .name = "source_word_of",
    .dims = {"source_key"},
    .unit = "1",
    .doc = "Index of the word that a source token is of",
    .per_item = kList};
inline constexpr Output<std::string, 1> kTargetWord{.name = "target_word",
                                                    .dims = {"target_word_index"},
                                                    .unit = "1",
                                                    .doc = "The words of the translation",
                                                    .per_item = kList};
inline constexpr Output<std::int32_t, 1> kPredictedWordOf{
    .name = "predicted_word_of",
    .dims = {"target_query"},
    .unit = "1",
    .doc = "Index of the word that the written token is of",
    .per_item = kList};
inline constexpr Output<std::int32_t, 1> kInputWordOf{
    .name = "input_word_of",
    .dims = {"target_query"},
    .unit = "1",
    .doc = "Index of the word that the token read is of; -1 for the start token",
    .per_item = kList};

// Per sentence: the residual streams.
inline constexpr Output<float, 3> kEncoderResidual{
    .name = "encoder_residual",
    .dims = {"encoder_depth", "source_query", "model_dim"},
    .unit = "1",
    .doc = "The encoder's vectors after the embedding (depth 0) and after every layer",
    .per_item = kList};
inline constexpr Output<float, 3> kDecoderResidual{
    .name = "decoder_residual",
    .dims = {"decoder_depth", "target_query", "model_dim"},
    .unit = "1",
    .doc = "The decoder's vectors after the embedding (depth 0) and after every layer",
    .per_item = kList};

// Of all sentences.
inline constexpr Output<std::string, 1> kSourceText{
    .name = "source_text", .dims = {"text"}, .unit = "1", .doc = "The sentences"};
inline constexpr Output<std::string, 1> kTranslation{
    .name = "translation", .dims = {"text"}, .unit = "1", .doc = "Their translations"};
inline constexpr Output<double, 1> kScore{
    .name = "score",
    .dims = {"text"},
    .unit = "nat",
    .doc =
        "Log-probability of a translation as the search saw it, over length^length_penalty; of a "
        "forced one the plain sum"};
inline constexpr Output<std::int32_t, 1> kSourceLength{.name = "source_length",
                                                       .dims = {"text"},
                                                       .unit = "1",
                                                       .doc = "Source tokens, </s> among them"};
inline constexpr Output<std::int32_t, 1> kTargetLength{.name = "target_length",
                                                       .dims = {"text"},
                                                       .unit = "1",
                                                       .doc = "Written tokens, </s> among them"};
inline constexpr Output<std::int32_t, 1> kEnded{.name = "ended",
                                                .dims = {"text"},
                                                .unit = "1",
                                                .doc = "1 where the translation ends with </s>"};
inline constexpr Output<std::int32_t, 2> kSupervised{
    .name = "supervised",
    .dims = {"decoder_layer", "decoder_head"},
    .unit = "1",
    .doc = "1 where a cross-attention head was trained to align words, as supervised_heads says"};

// The ablation study.
inline constexpr Output<std::string, 1> kAblationKind{
    .name = "ablation_kind",
    .dims = {"condition"},
    .unit = "1",
    .doc =
        "Kind of the head that is switched off (all_but_one: that is left on; greedy: that is "
        "added)"};
inline constexpr Output<std::int32_t, 1> kAblationLayer{
    .name = "ablation_layer",
    .dims = {"condition"},
    .unit = "1",
    .doc = "Its layer, from 0; -1 where no head is switched off"};
inline constexpr Output<std::int32_t, 1> kAblationHead{
    .name = "ablation_head",
    .dims = {"condition"},
    .unit = "1",
    .doc = "Its head, from 0; -1 where no head is switched off"};
inline constexpr Output<double, 2> kAblationLogProbability{
    .name = "ablation_log_probability",
    .dims = {"condition", "pair"},
    .unit = "nat",
    .doc = "Log-probability of the reference translation under every condition"};
inline constexpr Output<std::string, 2> kAblationTranslation{
    .name = "ablation_translation",
    .dims = {"condition", "pair"},
    .unit = "1",
    .doc = "What the model itself writes under every condition"};
inline constexpr Output<std::string, 1> kReference{
    .name = "reference", .dims = {"pair"}, .unit = "1", .doc = "The reference translations"};
inline constexpr Output<std::string, 1> kPairSource{
    .name = "pair_source", .dims = {"pair"}, .unit = "1", .doc = "Their sources"};
inline constexpr Output<std::int32_t, 1> kReferenceLength{
    .name = "reference_length",
    .dims = {"pair"},
    .unit = "1",
    .doc = "Tokens of the reference, </s> among them"};
inline constexpr Output<std::int32_t, 1> kAblationHalf{
    .name = "ablation_half",
    .dims = {"pair"},
    .unit = "1",
    .doc = "0 where heads are chosen on the pair, 1 where they are scored on it"};

}  // namespace refran::opus_mt_probe
