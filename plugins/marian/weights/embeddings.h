// The tables that are not of a layer: embeddings, the output matrix and its bias, positions.
#pragma once

#include "../model_config.h"
#include "../weights.h"
#include "tensor_reader.h"

namespace refran::marian {

// Spec section 5.1.
void read_hugging_face_tables(const ModelConfig& config, TensorReader& reader, Weights& weights);

// Spec section 11.2: a row of zeros is added behind every table.
void read_native_tables(const ModelConfig& config, TensorReader& reader, Weights& weights);

// What the file stores counts, as in files of 2020; else the tables are computed. Their
// size is the config's word alone, so that the other tables are to be checked first.
void read_positions(const ModelConfig& config, TensorReader& reader, Weights& weights);

}  // namespace refran::marian
