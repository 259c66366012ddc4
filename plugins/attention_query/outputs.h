// What attention-query writes.
#pragma once

#include <string>

#include <refran/output.h>

namespace refran::attention_query {

constexpr Output<double, 2> kKeyVector{
    .name = "key_vector", .dims = {"key", "dim"}, .unit = "1", .doc = "What every source word has"};
constexpr Output<double, 2> kValue{.name = "value",
                                   .dims = {"key", "value_dim"},
                                   .unit = "1",
                                   .doc = "What every source word gives"};
constexpr Output<double, 2> kQueryVector{.name = "query_vector",
                                         .dims = {"query", "dim"},
                                         .unit = "1",
                                         .doc = "What every output word is looking for"};

constexpr Output<double, 2> kScore{
    .name = "score",
    .dims = {"query", "key"},
    .unit = "1",
    .doc = "Dot product of query and key, scaled where `scoring` says so"};
constexpr Output<double, 2> kWeight{
    .name = "weight",
    .dims = {"query", "key"},
    .unit = "1",
    .doc = "Softmax of the scores: how much of its attention a query gives to each key",
    .rows_sum_to_one = true};
constexpr Output<double, 2> kOutput{.name = "output",
                                    .dims = {"query", "value_dim"},
                                    .unit = "1",
                                    .doc = "Average of the values, by the query's weights"};
constexpr Output<double, 1> kEntropy{.name = "entropy",
                                     .dims = {"query"},
                                     .unit = "nat",
                                     .doc = "How spread out a query's weights are"};
constexpr Output<std::string, 1> kStrongestKey{
    .name = "strongest_key",
    .dims = {"query"},
    .unit = "1",
    .doc = "The source word with the largest weight, of equal ones the first"};

constexpr Output<double, 2> kBoxShare{.name = "box_share",
                                      .dims = {"box", "word"},
                                      .unit = "1",
                                      .doc =
                                          "How much of the start and of each source word is in the "
                                          "encoder's summary after each word; the last box is "
                                          "all that is there without attention",
                                      .rows_sum_to_one = true};
constexpr Output<double, 2> kWeightByBox{
    .name = "weight_by_box",
    .dims = {"query", "box"},
    .unit = "1",
    .doc = "With attention: how much each output word takes from each box",
    .rows_sum_to_one = true};
constexpr Output<double, 2> kWeightByWord{
    .name = "weight_by_word",
    .dims = {"query", "word"},
    .unit = "1",
    .doc =
        "With attention: how much each output word gets of each source word, the sum over boxes of "
        "weight × share",
    .rows_sum_to_one = true};

// Only where there is a field.
constexpr const char* kFieldCondition = "keys have 2 dimensions and field.resolution is above 0";
constexpr Output<double, 1> kFieldX{.name = "field_x",
                                    .dims = {"query_x"},
                                    .unit = "1",
                                    .doc = "First coordinate of the field's queries"};
constexpr Output<double, 1> kFieldY{.name = "field_y",
                                    .dims = {"query_y"},
                                    .unit = "1",
                                    .doc = "Second coordinate of the field's queries"};
constexpr Output<double, 3> kFieldWeight{.name = "field_weight",
                                         .dims = {"query_y", "query_x", "key"},
                                         .unit = "1",
                                         .doc = "The weights for every query of the field",
                                         .rows_sum_to_one = true};
constexpr Output<double, 3> kFieldOutput{.name = "field_output",
                                         .dims = {"query_y", "query_x", "value_dim"},
                                         .unit = "1",
                                         .doc = "The output for every query of the field"};

}  // namespace refran::attention_query
