// What greedy-decoder writes: dense outputs with one cell per input, which a sweep stacks, and the
// steps of every input.
#pragma once

#include <cstdint>
#include <string>

#include <refran/output.h>

namespace refran::greedy_decoder {

// The list of items.
constexpr const char* kList = "input";

constexpr Output<double, 2> kOutputEmbedding{
    .name = "output_embedding",
    .dims = {"candidate", "dim"},
    .unit = "1",
    .doc = "What the state is scored against, per word of the vocabulary"};
constexpr Output<double, 2> kStepVector{
    .name = "step_vector",
    .dims = {"candidate", "dim"},
    .unit = "1",
    .doc = "What a written word adds to the state; zeros for the word that ends the sentence"};
constexpr Output<std::string, 1> kSentence{.name = "sentence",
                                           .dims = {"source"},
                                           .unit = "1",
                                           .doc = "The English sentence written for every input"};
constexpr Output<std::int32_t, 1> kLength{.name = "length",
                                          .dims = {"source"},
                                          .unit = "1",
                                          .doc = "Words written, without the end of the sentence"};
constexpr Output<std::int32_t, 1> kEnded{
    .name = "ended",
    .dims = {"source"},
    .unit = "1",
    .doc = "1 where the sentence ended, 0 where max_steps cut it off"};
constexpr Output<double, 1> kLogProbability{.name = "log_probability",
                                            .dims = {"source"},
                                            .unit = "nat",
                                            .doc = "Log-probability of all written words together"};

// Per input.
constexpr Output<double, 2> kSourceSummary{
    .name = "source_summary",
    .dims = {"source_step", "dim"},
    .unit = "1",
    .doc = "The encoder's summary before the first Galician word and after every one",
    .per_item = kList};
constexpr Output<double, 2> kState{.name = "state",
                                   .dims = {"position", "dim"},
                                   .unit = "1",
                                   .doc =
                                       "The decoder's state: the encoder's last summary (position "
                                       "0), then after every written word",
                                   .per_item = kList};
constexpr Output<double, 2> kLogit{
    .name = "logit",
    .dims = {"step", "candidate"},
    .unit = "1",
    .doc = "Dot product of the state and every word's output embedding",
    .per_item = kList};
constexpr Output<double, 2> kProbability{.name = "probability",
                                         .dims = {"step", "candidate"},
                                         .unit = "1",
                                         .doc = "Probability of every word to come next",
                                         .rows_sum_to_one = true,
                                         .per_item = kList};
constexpr Output<std::string, 1> kChosen{.name = "chosen",
                                         .dims = {"step"},
                                         .unit = "1",
                                         .doc = "The word written at every step",
                                         .per_item = kList};
constexpr Output<double, 1> kChosenProbability{.name = "chosen_probability",
                                               .dims = {"step"},
                                               .unit = "1",
                                               .doc = "Probability of the written word",
                                               .per_item = kList};
constexpr Output<std::string, 1> kRunnerUp{.name = "runner_up",
                                           .dims = {"step"},
                                           .unit = "1",
                                           .doc = "The most likely word other than the written one",
                                           .per_item = kList};
constexpr Output<double, 1> kRunnerUpProbability{.name = "runner_up_probability",
                                                 .dims = {"step"},
                                                 .unit = "1",
                                                 .doc = "Probability of the runner-up",
                                                 .per_item = kList};
// Only with `strategy: beam`.
constexpr Output<std::string, 1> kHypothesis{
    .name = "hypothesis",
    .dims = {"rank"},
    .unit = "1",
    .doc = "The sentences beam search found, most likely first; the first is the one written",
    .per_item = kList};
constexpr Output<double, 1> kHypothesisLogProbability{
    .name = "hypothesis_log_probability",
    .dims = {"rank"},
    .unit = "nat",
    .doc = "Log-probability of the sentences beam search found",
    .per_item = kList};

}  // namespace refran::greedy_decoder
