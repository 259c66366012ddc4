// The fixture models of tests/fixtures/marian and what transformers says of them (see FORMAT.md
// there).
#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <marian/generation.h>
#include <marian/weights.h>
#include <nlohmann/json.hpp>

namespace refran::marian {

inline std::filesystem::path fixtures() {
  return std::filesystem::path(REFRAN_SOURCE_DIR) / "tests/fixtures/marian";
}

// The names of all models, native ones among them.
inline std::vector<std::string> fixture_models() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(fixtures())) {
    if (std::filesystem::exists(entry.path() / "reference.json"))
      names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

// How near our numbers are to those of transformers.
inline constexpr double kClose = 1e-5;

struct Reference {
  ModelFolder folder;
  Model model;
  nlohmann::json said;
  Checkpoint tensors;

  explicit Reference(const std::string& name)
      : folder(read_model_folder(fixtures() / name)),
        model{folder.config, load_weights(folder, Checkpoint::open(folder.weights))},
        said(nlohmann::json::parse(std::ifstream(fixtures() / name / "reference.json"))),
        tensors(Checkpoint::open(fixtures() / name / "reference.safetensors")) {}

  // Row-major float32 values.
  std::vector<float> tensor(const std::string& name) const {
    const StoredTensor* stored = tensors.find(name);
    if (stored == nullptr) throw std::runtime_error("no tensor " + name);
    std::vector<float> values(stored->elements());
    std::memcpy(values.data(), stored->bytes.data(), values.size() * sizeof(float));
    return values;
  }

  Ids source(std::size_t index) const { return said["cases"][index]["source_ids"].get<Ids>(); }
  Ids target(std::size_t index) const { return said["cases"][index]["target_ids"].get<Ids>(); }
};

// The options of a search of transformers.
inline Decoding decoding_of(const nlohmann::json& options) {
  Decoding decoding;
  decoding.beam_size = options["beam_size"];
  decoding.length_penalty = options["length_penalty"];
  decoding.early_stopping = options["early_stopping"];
  decoding.max_length = options["max_length"];
  decoding.min_length = options["min_length"];
  if (!options["forced_eos_id"].is_null()) decoding.forced_eos_id = options["forced_eos_id"];
  decoding.banned_ids = options["banned_ids"].get<std::vector<std::int32_t>>();
  decoding.renormalize = options["renormalize"];
  return decoding;
}

inline Gates gates_of(const Reference& reference, const nlohmann::json& ablation,
                      std::size_t number) {
  Gates gates;
  std::size_t index = 0;
  for (const nlohmann::json& said : ablation["gates"]) {
    const std::string kind = said["kind"];
    const std::string mode = said["mode"];
    Gate gate;
    gate.mode = mode == "zero"      ? GateMode::zero
                : mode == "uniform" ? GateMode::uniform
                                    : GateMode::mean;
    if (gate.mode == GateMode::mean)
      gate.mean =
          reference.tensor("ablation" + std::to_string(number) + ".mean" + std::to_string(index));
    gates.set({kind == "encoder_self"   ? AttentionKind::encoder_self
               : kind == "decoder_self" ? AttentionKind::decoder_self
                                        : AttentionKind::cross,
               said["layer"], said["head"]},
              gate);
    ++index;
  }
  return gates;
}

// The largest difference of two arrays of one size; infinite where sizes differ.
template <class A, class B>
double largest_difference(const A& a, const B& b) {
  if (a.size() != b.size() || a.size() == 0) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

// Equal in every bit, where there is something.
template <class A, class B>
bool same_bytes(const A& a, const B& b) {
  return a.size() == b.size() && a.size() > 0 &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

inline std::string name_of_model(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace refran::marian
