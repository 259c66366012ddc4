// The page's last section: a tiny model learns what "it" refers to, over many random starts, and
// each of its heads ends up with a job.
#include <algorithm>
#include <mutex>
#include <thread>

#include <refran/plugin.h>
#include "config.h"
#include "outputs.h"
#include "report.h"
#include "train.h"

namespace refran::referent_training {
namespace {

using referent::TorchTraining;

bool keeps_maps(const Config& config) { return config.record.maps; }
bool keeps_weights(const Config& config) { return config.record.weights; }
bool keeps_positions(const Config& config) { return config.record.weights && config.positions; }
bool ablates(const Config& config) { return config.ablation; }
bool keeps_answers(const Config& config) { return config.ablation && config.record.answers; }

void check(const Config& config, Problems& problems) { config.check(problems); }

// The seeds of a run or group, trained and measured.
class Seeds {
 public:
  using GoOn = std::function<bool(std::size_t done, double total)>;

  // `torch` is null where the fast implementation is to train. `go_on` may be called from several
  // threads, one at a time.
  Seeds(const Config& config, const TorchTraining* torch, int threads, GoOn go_on)
      : config_(config),
        task_(referent::make_task(config.task_spec())),
        torch_(torch),
        threads_(torch == nullptr ? threads : 1),
        go_on_(std::move(go_on)) {}

  // Does all members, some on every thread.
  void run(std::span<Run> members) {
    total_ = static_cast<double>(members.size() * trainings());
    static constexpr std::size_t kLanes = 8;
    const std::size_t blocks = (members.size() + kLanes - 1) / kLanes;
    const auto threads = std::min(blocks, static_cast<std::size_t>(threads_));
    std::vector<std::jthread> workers;
    const auto work = [this, members, blocks, threads](std::size_t thread) {
      for (std::size_t block = thread; block < blocks; block += threads) {
        const std::size_t first = block * kLanes;
        run_block(members.subspan(first, std::min(kLanes, members.size() - first)));
      }
    };
    for (std::size_t thread = 1; thread < threads; ++thread) workers.emplace_back(work, thread);
    work(0);
  }

 private:
  std::size_t steps() const { return static_cast<std::size_t>(config_.steps); }
  bool holds_out() const { return config_.controls.hold_out > 0 && task_.held_out.empty(); }
  // Measurements of all steps of all trainings of a seed: what progress counts.
  std::size_t trainings() const {
    const int controls = (config_.controls.uniform_attention ? 1 : 0) + (holds_out() ? 1 : 0);
    return static_cast<std::size_t>(1 + controls) * (steps() + 1);
  }

  void run_block(std::span<Run> members) {
    std::vector<std::uint64_t> seeds;
    for (const Run& member : members) seeds.push_back(member.seed());
    TrainedModels models = train_all(seeds);
    if (!go_on(0)) return;

    std::vector<Run*> sound;
    std::vector<std::string> failure;
    for (const Trained& trained : models.trained) failure.push_back(trained.failure);
    for (std::size_t i = members.size(); i-- > 0;) {
      if (failure[i].empty()) {
        sound.insert(sound.begin(), &members[i]);
        continue;
      }
      const auto drop = [i](auto& list) {
        if (!list.empty()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      };
      drop(seeds);
      drop(models.trained);
      drop(models.uniform);
      drop(models.hold_out);
    }
    const std::vector<SeedResult> results = measure(config_, task_, seeds, std::move(models));

    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!failure[i].empty()) members[i].fail(failure[i]);
    }
    for (std::size_t i = 0; i < sound.size(); ++i) {
      put(config_, task_, results[i], *sound[i]);
      sound[i]->complete();
    }
  }

  TrainedModels train_all(std::span<const std::uint64_t> seeds) {
    const referent::TrainingSpec spec = config_.training_spec(task_);
    const Recording recording(task_, config_.recorded_sentences(task_), spec,
                              config_.recorded_steps(), config_.record.maps);
    TrainedModels models;
    models.trained = train(task_, spec, &recording, seeds);
    if (have_all_failed(models.trained)) return models;
    if (config_.controls.uniform_attention) {
      referent::TrainingSpec uniform = spec;
      uniform.attention = referent::AttentionKind::uniform;
      models.uniform = train(task_, uniform, nullptr, seeds);
    }
    if (holds_out()) {
      const referent::Task rest = config_.task_of_hold_out(task_);
      models.hold_out = train(rest, spec, nullptr, seeds);
    }
    return models;
  }

  std::vector<Trained> train(const referent::Task& task, const referent::TrainingSpec& spec,
                             const Recording* recording, std::span<const std::uint64_t> seeds) {
    const TrainingJob job{task,    spec,      config_.initial_scale,
                          steps(), recording, [this](std::size_t done) { return go_on(done); }};
    return torch_ == nullptr ? train_fast(job, seeds) : train_by_torch(job, seeds, *torch_);
  }

  bool go_on(std::size_t done) {
    const std::scoped_lock lock(mutex_);
    done_ += done;
    if (!stopped_ && !go_on_(done_, total_)) stopped_ = true;
    return !stopped_;
  }

  std::mutex mutex_;
  const Config& config_;
  const referent::Task task_;
  const TorchTraining* torch_;
  int threads_;
  GoOn go_on_;
  double total_ = 0;
  std::size_t done_ = 0;
  bool stopped_ = false;
};

// Runs, a single one or the members of a group; `Asked` is what progress and stops are asked of.
template <class Asked>
void run_seeds(const Config& config, std::span<Run> members, Asked& asked) {
  const bool is_torch = config.implementation == "torch";
  const auto* const torch = is_torch ? &asked.template part<TorchTraining>() : nullptr;
  Seeds seeds(config, torch, asked.threads(), [&asked](std::size_t done, double total) {
    asked.progress(static_cast<double>(done), total);
    return !asked.stop_requested();
  });
  seeds.run(members);
}

void run(const Config& config, Run& run) { run_seeds(config, std::span(&run, 1), run); }

void run_group(const Config& config, Group& group) { run_seeds(config, group.members(), group); }

}  // namespace
}  // namespace refran::referent_training

namespace {
using namespace refran::referent_training;
}  // namespace

REFRAN_EXPERIMENT(
    Config,
    {.question = "Where does 'it' look, and which job does each head get?",
     .run = run,
     .check = check,
     .run_group = run_group,
     .outputs = {kLoss,
                 kAccuracy,
                 kFinalLoss,
                 kFinalAccuracy,
                 kItAttention,
                 {kLayer1Attention, "record.maps is true", keeps_maps},
                 kSentenceAttention,
                 {kLayer1SentenceAttention, "record.maps is true", keeps_maps},
                 kRoleAttention,
                 kStartRoleAttention,
                 kUniformRoleAttention,
                 kPartAttention,
                 kJob,
                 kStartJob,
                 kConfidence,
                 kEntropy,
                 kDirectLogit,
                 kLogitDifference,
                 kNamed,
                 {kAblationLoss, "ablation is true", ablates},
                 {kAblationAccuracy, "ablation is true", ablates},
                 {kAblationLogitDifference, "ablation is true", ablates},
                 {kAblationLossByReferent, "ablation is true", ablates},
                 {kAblationAccuracyByReferent, "ablation is true", ablates},
                 {kAblationNamed, "ablation and record.answers are true", keeps_answers},
                 {kShapley, "ablation is true", ablates},
                 {kShapleyByMode, "ablation is true", ablates},
                 {kShapleyInteraction, "ablation is true", ablates},
                 kControlAccuracy,
                 kControlAccuracyByReferent,
                 kControlLoss,
                 {kWordEmbedding, "record.weights is true", keeps_weights},
                 {kPositionEmbedding, "record.weights and positions are true", keeps_positions},
                 {kQueryWeight, "record.weights is true", keeps_weights},
                 {kKeyWeight, "record.weights is true", keeps_weights},
                 {kValueWeight, "record.weights is true", keeps_weights},
                 {kOutputWeight, "record.weights is true", keeps_weights},
                 {kUnembedding, "record.weights is true", keeps_weights}},
     .weaker = {"implementation", "torch", refran::Reproducibility::same_machine},
     .part = "referent_training_part"})
