// What referent-training writes. Heads are named L1H1 … (counted from 1); axes count from 0.
#pragma once

#include <cstdint>
#include <string>

#include <refran/output.h>

namespace refran::referent_training {

inline constexpr Output<double, 1> kLoss{
    .name = "loss",
    .dims = {"step"},
    .unit = "nat",
    .doc = "Mean cross-entropy over the training sentences; step 0 is the random start"};
inline constexpr Output<double, 1> kAccuracy{
    .name = "accuracy",
    .dims = {"step"},
    .unit = "1",
    .doc = "Share of the training sentences whose referent is the most likely word"};
inline constexpr Output<double, 0> kFinalLoss{
    .name = "final_loss", .unit = "nat", .doc = "The loss after the last step"};
inline constexpr Output<double, 0> kFinalAccuracy{
    .name = "final_accuracy", .unit = "1", .doc = "The accuracy after the last step"};

inline constexpr Output<float, 5> kItAttention{
    .name = "it_attention",
    .dims = {"recorded_step", "recorded_sentence", "layer", "head", "position"},
    .unit = "1",
    .doc = "Where 'it' looks while the model learns, in each head, for the recorded sentences",
    .rows_sum_to_one = true};
inline constexpr Output<float, 5> kLayer1Attention{
    .name = "layer1_attention",
    .dims = {"recorded_step", "recorded_sentence", "head", "query", "key"},
    .unit = "1",
    .doc = "Layer 1's whole maps while the model learns, for the recorded sentences",
    .rows_sum_to_one = true};
inline constexpr Output<float, 5> kSentenceAttention{
    .name = "sentence_attention",
    .dims = {"moment", "sentence", "layer", "head", "position"},
    .unit = "1",
    .doc = "Where 'it' looks in every training sentence, at the random start and once trained",
    .rows_sum_to_one = true};
inline constexpr Output<float, 4> kLayer1SentenceAttention{
    .name = "layer1_sentence_attention",
    .dims = {"sentence", "head", "query", "key"},
    .unit = "1",
    .doc = "Layer 1's whole maps in every training sentence, once trained",
    .rows_sum_to_one = true};

inline constexpr Output<double, 5> kRoleAttention{
    .name = "role_attention",
    .dims = {"referent", "layer", "head", "query_role", "key_role"},
    .unit = "1",
    .doc =
        "Weight from role to role, summed over the key role's positions, averaged over the query "
        "role's and over the sentences of a referent; NaN where a layer has no such query",
    .rows_sum_to_one = true};
inline constexpr Output<double, 5> kStartRoleAttention{
    .name = "start_role_attention",
    .dims = {"referent", "layer", "head", "query_role", "key_role"},
    .unit = "1",
    .doc = "The same at the random start",
    .rows_sum_to_one = true};
inline constexpr Output<double, 1> kUniformRoleAttention{
    .name = "uniform_role_attention",
    .dims = {"key_role"},
    .unit = "1",
    .doc = "The same of a head that looks everywhere alike",
    .rows_sum_to_one = true};
inline constexpr Output<double, 4> kPartAttention{
    .name = "part_attention",
    .dims = {"referent", "layer", "head", "part"},
    .unit = "1",
    .doc = "Weight from 'it', by what the sentence means: the noun it is, the one it is not, …",
    .rows_sum_to_one = true};
inline constexpr Output<std::string, 2> kJob{
    .name = "job",
    .dims = {"layer", "head"},
    .unit = "1",
    .doc = "The job each head ended up with: what 'it' looks at, by the rule 'excess'"};
inline constexpr Output<std::string, 2> kStartJob{.name = "start_job",
                                                  .dims = {"layer", "head"},
                                                  .unit = "1",
                                                  .doc = "The same at the random start"};
inline constexpr Output<double, 2> kConfidence{
    .name = "confidence",
    .dims = {"layer", "head"},
    .unit = "1",
    .doc = "Mean over the training sentences of the largest weight from 'it'"};
inline constexpr Output<double, 2> kEntropy{
    .name = "entropy",
    .dims = {"layer", "head"},
    .unit = "nat",
    .doc = "Mean over the training sentences of the entropy of the weights from 'it'"};
inline constexpr Output<double, 2> kDirectLogit{
    .name = "direct_logit",
    .dims = {"referent", "component"},
    .unit = "1",
    .doc =
        "Mean direct contribution to the logit difference referent - distractor; they sum to it"};
inline constexpr Output<double, 1> kLogitDifference{
    .name = "logit_difference",
    .dims = {"sentence"},
    .unit = "1",
    .doc = "Logit of the referent minus that of the distractor in every training sentence"};
inline constexpr Output<std::int32_t, 1> kNamed{
    .name = "named",
    .dims = {"sentence"},
    .unit = "1",
    .doc =
        "What the model names in every training sentence: 0 the referent, 1 the distractor, 2 "
        "another word"};

inline constexpr Output<double, 2> kAblationLoss{
    .name = "ablation_loss",
    .dims = {"mode", "subset"},
    .unit = "nat",
    .doc = "The loss with a subset of heads switched off"};
inline constexpr Output<double, 2> kAblationAccuracy{
    .name = "ablation_accuracy",
    .dims = {"mode", "subset"},
    .unit = "1",
    .doc = "The accuracy with a subset of heads switched off"};
inline constexpr Output<double, 2> kAblationLogitDifference{
    .name = "ablation_logit_difference",
    .dims = {"mode", "subset"},
    .unit = "1",
    .doc = "The mean logit difference referent - distractor with a subset of heads switched off"};
inline constexpr Output<double, 3> kAblationLossByReferent{
    .name = "ablation_loss_by_referent",
    .dims = {"mode", "subset", "referent"},
    .unit = "nat",
    .doc = "The same loss over the sentences of each referent"};
inline constexpr Output<double, 3> kAblationAccuracyByReferent{
    .name = "ablation_accuracy_by_referent",
    .dims = {"mode", "subset", "referent"},
    .unit = "1",
    .doc = "The same accuracy over the sentences of each referent"};
inline constexpr Output<std::int32_t, 3> kAblationNamed{
    .name = "ablation_named",
    .dims = {"mode", "subset", "sentence"},
    .unit = "1",
    .doc =
        "What is named with a subset of heads switched off: 0 the referent, 1 the distractor, 2 "
        "another word"};
inline constexpr Output<double, 3> kShapley{
    .name = "shapley",
    .dims = {"measure", "layer", "head"},
    .unit = "1",
    .doc = "Exact Shapley value of each head in mode zero; loss is in nat"};
inline constexpr Output<double, 4> kShapleyByMode{
    .name = "shapley_by_mode",
    .dims = {"mode", "measure", "layer", "head"},
    .unit = "1",
    .doc = "Exact Shapley value of each head in every mode; loss is in nat"};
inline constexpr Output<double, 4> kShapleyInteraction{
    .name = "shapley_interaction",
    .dims = {"mode", "measure", "first_head", "second_head"},
    .unit = "1",
    .doc = "Shapley interaction index of each pair of heads; NaN on the diagonal"};

inline constexpr Output<double, 1> kControlAccuracy{
    .name = "control_accuracy",
    .dims = {"control"},
    .unit = "1",
    .doc = "Share of right answers of the model and of what it has to be compared with"};
inline constexpr Output<double, 2> kControlAccuracyByReferent{
    .name = "control_accuracy_by_referent",
    .dims = {"control", "referent"},
    .unit = "1",
    .doc = "The same over the sentences of each referent"};
inline constexpr Output<double, 1> kControlLoss{
    .name = "control_loss",
    .dims = {"control"},
    .unit = "nat",
    .doc = "Their loss; NaN for rules, which have none"};

inline constexpr Output<double, 2> kWordEmbedding{.name = "word_embedding",
                                                  .dims = {"word", "model_dim"},
                                                  .unit = "1",
                                                  .doc = "Trained embedding of every word"};
inline constexpr Output<double, 2> kPositionEmbedding{.name = "position_embedding",
                                                      .dims = {"position", "model_dim"},
                                                      .unit = "1",
                                                      .doc = "Trained embedding of every position"};
inline constexpr Output<double, 4> kQueryWeight{.name = "query_weight",
                                                .dims = {"layer", "head", "model_dim", "key_dim"},
                                                .unit = "1",
                                                .doc = "Trained query matrix of every head"};
inline constexpr Output<double, 4> kKeyWeight{.name = "key_weight",
                                              .dims = {"layer", "head", "model_dim", "key_dim"},
                                              .unit = "1",
                                              .doc = "Trained key matrix of every head"};
inline constexpr Output<double, 4> kValueWeight{.name = "value_weight",
                                                .dims = {"layer", "head", "model_dim", "value_dim"},
                                                .unit = "1",
                                                .doc = "Trained value matrix of every head"};
inline constexpr Output<double, 4> kOutputWeight{
    .name = "output_weight",
    .dims = {"layer", "head", "value_dim", "model_dim"},
    .unit = "1",
    .doc = "Trained output matrix (W_O), by head"};
inline constexpr Output<double, 2> kUnembedding{
    .name = "unembedding",
    .dims = {"model_dim", "word"},
    .unit = "1",
    .doc = "Trained matrix from residual stream to logits"};

}  // namespace refran::referent_training
