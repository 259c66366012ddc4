// The model of model.h in tensors and autograd. C++17, as libtorch's headers are.
#include "torch_model.h"

#include <algorithm>
#include <cmath>

#include <torch/torch.h>

namespace refran::referent {
namespace {

using torch::Tensor;

std::int64_t extent(std::size_t value) { return static_cast<std::int64_t>(value); }

torch::Dtype dtype_of(Precision precision) {
  return precision == Precision::float32 ? torch::kFloat32 : torch::kFloat64;
}

// The training sentences: words [sentence, position] and targets [sentence], of the vocabulary.
struct Batch {
  explicit Batch(const Task& task)
      : words(torch::empty({extent(task.training.size()), extent(task.positions)}, torch::kInt64)),
        targets(torch::empty({extent(task.training.size())}, torch::kInt64)) {
    auto word = words.accessor<std::int64_t, 2>();
    auto target = targets.accessor<std::int64_t, 1>();
    for (std::int64_t s = 0; s < words.size(0); ++s) {
      const Sentence& sentence = task.training[static_cast<std::size_t>(s)];
      for (std::int64_t p = 0; p < words.size(1); ++p)
        word[s][p] = extent(sentence.word[static_cast<std::size_t>(p)]);
      target[s] = extent(sentence.target);
    }
  }

  Tensor words;
  Tensor targets;
};

// The dimensions in the einsums: s sentence, h head, q query position, p key position, m model_dim,
// k key_dim, v value_dim.
class Model : public torch::nn::Module {
 public:
  // Registers the weights in the order of ParameterLayout.
  Model(const Task& task, const TrainingSpec& spec) : spec_(spec), it_(extent(task.it)) {
    const ModelShape& shape = spec.shape;
    const auto layers = extent(kLayers);
    const auto heads = extent(shape.heads);
    const auto model_dim = extent(shape.model_dim);
    const auto key_dim = extent(shape.key_dim);
    const auto value_dim = extent(shape.value_dim);
    word_embedding_ = weight("word_embedding", {extent(shape.words), model_dim});
    if (shape.has_positions)
      position_embedding_ = weight("position_embedding", {extent(shape.positions), model_dim});
    query_ = weight("query", {layers, heads, model_dim, key_dim});
    key_ = weight("key", {layers, heads, model_dim, key_dim});
    value_ = weight("value", {layers, heads, model_dim, value_dim});
    output_ = weight("output", {layers, heads, value_dim, model_dim});
    unembedding_ = weight("unembedding", {model_dim, extent(shape.words)});
  }

  // words [sentence, position] to logits [sentence, word].
  Tensor forward(const Tensor& words) const {
    Tensor x = torch::embedding(word_embedding_, words);  // [sentence, position, model_dim]
    if (spec_.shape.has_positions) x = x + position_embedding_;
    const Tensor hidden = x + attention(0, x, x);
    const Tensor it = hidden.narrow(1, it_, 1);  // [sentence, 1, model_dim]
    const Tensor answer = it + attention(1, it, hidden);
    return torch::matmul(answer.squeeze(1), unembedding_);
  }

 private:
  // One layer's heads: asking [sentence, query, model_dim] looks at asked [sentence, key position,
  // model_dim]; the result is like asking.
  Tensor attention(std::int64_t layer, const Tensor& asking, const Tensor& asked) const {
    const Tensor query = torch::einsum("sqm,hmk->shqk", {asking, query_[layer]});
    const Tensor key = torch::einsum("spm,hmk->shpk", {asked, key_[layer]});
    const Tensor value = torch::einsum("spm,hmv->shpv", {asked, value_[layer]});
    Tensor score = torch::matmul(query, key.transpose(2, 3));
    score = score / std::sqrt(static_cast<double>(spec_.shape.key_dim));
    // Equal scores give every position the same weight, and nothing is learned of where to look.
    if (spec_.attention == AttentionKind::uniform) score = torch::zeros_like(score);
    const Tensor output = torch::matmul(torch::softmax(score, -1), value);
    return torch::einsum("shqv,hvm->sqm", {output, output_[layer]});
  }

  Tensor weight(const std::string& name, at::IntArrayRef sizes) {
    return register_parameter(name, torch::zeros(sizes, dtype_of(spec_.precision)));
  }

  TrainingSpec spec_;
  std::int64_t it_;            // the position that asks in layer 2
  Tensor word_embedding_;      // [word, model_dim]
  Tensor position_embedding_;  // [position, model_dim]; undefined where there is none
  Tensor query_;               // [layer, head, model_dim, key_dim]
  Tensor key_;                 // [layer, head, model_dim, key_dim]
  Tensor value_;               // [layer, head, model_dim, value_dim]
  Tensor output_;              // [layer, head, value_dim, model_dim]
  Tensor unembedding_;         // [model_dim, word]
};

// `values` as ParameterLayout says.
void set_parameters(Model& model, const double* values) {
  torch::NoGradGuard no_grad;
  for (Tensor& parameter : model.parameters()) {
    const Tensor exact = torch::empty(parameter.sizes(), torch::kFloat64);
    std::copy_n(values, exact.numel(), exact.data_ptr<double>());
    parameter.copy_(exact);
    values += exact.numel();
  }
}

// Writes the tensors one after the other.
void get_values(const std::vector<Tensor>& tensors, double* values) {
  for (const Tensor& tensor : tensors) {
    const Tensor exact = tensor.detach().to(torch::kFloat64).contiguous();
    values = std::copy_n(exact.data_ptr<double>(), exact.numel(), values);
  }
}

// Gradients begin as zeros, not as none: the optimiser leaves out what has none, and so would not
// decay it.
void backward(const Model& model, const Tensor& loss) {
  for (Tensor& parameter : model.parameters())
    parameter.mutable_grad() = torch::zeros_like(parameter);
  loss.backward();
}

torch::optim::AdamWOptions options_of(const AdamOptions& adam) {
  return torch::optim::AdamWOptions(adam.learning_rate)
      .betas({adam.beta1, adam.beta2})
      .eps(adam.epsilon)
      .weight_decay(adam.weight_decay);
}

void train(const Task& task, const TrainingSpec& spec, const double* start, std::size_t steps,
           int threads, const TorchObserver& observer) {
  at::set_num_threads(threads);
  const Batch batch(task);
  Model model(task, spec);
  set_parameters(model, start);
  // Adam is AdamW without decay.
  torch::optim::AdamW optimizer(model.parameters(), options_of(spec.adam));
  const auto copy_parameters = [&] {
    std::vector<double> values(ParameterLayout(spec.shape).size);
    get_values(model.parameters(), values.data());
    return values;
  };

  for (std::size_t step = 0;; ++step) {
    const Tensor logits = model.forward(batch.words);
    const Tensor loss = torch::cross_entropy_loss(logits, batch.targets);
    const Tensor is_right = logits.argmax(1).eq(batch.targets);
    const double accuracy = is_right.to(torch::kFloat64).mean().item<double>();
    if (!observer({step, loss.item<double>(), accuracy, copy_parameters}) || step == steps) return;
    backward(model, loss);
    optimizer.step();
  }
}

double gradient(const Task& task, const TrainingSpec& spec, const double* parameters,
                double* result) {
  const Batch batch(task);
  Model model(task, spec);
  set_parameters(model, parameters);
  const Tensor loss = torch::cross_entropy_loss(model.forward(batch.words), batch.targets);
  backward(model, loss);
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : model.parameters()) gradients.push_back(parameter.grad());
  get_values(gradients, result);
  return loss.item<double>();
}

}  // namespace

const TorchTraining kTorchTraining{train, gradient};

}  // namespace refran::referent
