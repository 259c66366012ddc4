// The last line of a plugin: what it is, and the functions that do it.
//
//   REFRAN_EXPERIMENT(Config, {.question = "How much of each word is left in the summary?",
//                              .run = encode,
//                              .outputs = {kEmbedding, kSummary, kShare}})
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <refran/config.h>
#include <refran/detail/abi.h>
#include <refran/error.h>
#include <refran/output.h>
#include <refran/run.h>

namespace refran {

// An output, and where it depends on the config, when it is written.
template <class Config>
struct Declared {
  OutputInfo info;
  bool (*is_written)(const Config& config) = nullptr;

  template <class T, std::size_t Rank>
  Declared(const Output<T, Rank>& output) : info(detail::info_of(output)) {}

  template <class T, std::size_t Rank>
  Declared(const Output<T, Rank>& output, std::string condition, bool (*written)(const Config&))
      : info(detail::info_of(output)), is_written(written) {
    info.condition = std::move(condition);
  }
};

// Where the text field `field` is `value`, less is promised; `part` is then needed there alone.
struct WeakerWhere {
  const char* field = "";
  const char* value = "";
  Reproducibility level = Reproducibility::bitwise;
};

template <Describable Config>
struct Experiment {
  const char* question;
  void (*run)(const Config& config, Run& run);
  // Rules between fields; runs on a validated config, before any folder exists.
  void (*check)(const Config& config, Problems& problems) = nullptr;
  // Does runs that differ in their seed alone together, with the same bytes as `run` one by one.
  void (*run_group)(const Config& config, Group& group) = nullptr;
  std::vector<Declared<Config>> outputs;
  const char* version = "1.0.0";
  Reproducibility reproducibility = Reproducibility::bitwise;
  double tolerance = 0;  // for Reproducibility::close
  WeakerWhere weaker = {};
  // File stem of the library with REFRAN_PART that `Run::part` opens, for code that needs a heavy
  // library (torch).
  const char* part = nullptr;
};

namespace detail {

// Erases the types of an experiment. `get` returns the plugin's one Experiment<Config>.
template <class Config, const Experiment<Config>& (*get)()>
struct Erased {
  static void describe(Description& description) {
    const Experiment<Config>& experiment = get();
    description.question = experiment.question;
    description.version = experiment.version;
    description.reproducibility = experiment.reproducibility;
    description.tolerance = experiment.tolerance;
    description.weaker_field = experiment.weaker.field;
    description.weaker_value = experiment.weaker.value;
    description.weaker = experiment.weaker.level;
    description.has_check = experiment.check != nullptr;
    description.has_group = experiment.run_group != nullptr;
    if (experiment.part != nullptr) description.part = experiment.part;
    Fields fields(&description.fields);
    Config defaults{};
    defaults.describe(fields);
    for (const Declared<Config>& output : experiment.outputs)
      description.outputs.push_back(output.info);
  }
  static void* bind(const Value& resolved) {
    auto config = std::make_unique<Config>();
    Fields fields(&resolved);
    config->describe(fields);
    return config.release();
  }
  static void destroy(void* config) { delete static_cast<Config*>(config); }
  static void check(const void* config, Problems& problems) {
    if (get().check != nullptr) get().check(*static_cast<const Config*>(config), problems);
  }
  static bool is_written(const void* config, std::uint32_t output) {
    const auto& declared = get().outputs.at(output);
    return declared.is_written == nullptr ||
           declared.is_written(*static_cast<const Config*>(config));
  }
  static void run(const void* config, Run& run) {
    get().run(*static_cast<const Config*>(config), run);
  }
  static void run_group(const void* config, Group& group) {
    get().run_group(*static_cast<const Config*>(config), group);
  }

  static constexpr ExperimentTable kTable{
      sizeof(ExperimentTable), describe, bind, destroy, check, is_written, run, run_group};
};

}  // namespace detail
}  // namespace refran

#define REFRAN_EXPERIMENT(ConfigType, ...)                                                      \
  namespace {                                                                                   \
  const ::refran::Experiment<ConfigType>& refran_the_experiment() {                             \
    static const ::refran::Experiment<ConfigType> experiment __VA_ARGS__;                       \
    return experiment;                                                                          \
  }                                                                                             \
  }                                                                                             \
  REFRAN_EXPORT(::refran::detail::Handshake, refran_handshake, ::refran::detail::kOwnHandshake) \
  REFRAN_EXPORT(::refran::detail::ExperimentTable, refran_experiment,                           \
                (::refran::detail::Erased<ConfigType, refran_the_experiment>::kTable))

// The last line of a plugin's second library: `object` is the interface struct that
// `Run::part<Interface>()` returns.
#define REFRAN_PART(object)                                                                     \
  REFRAN_EXPORT(::refran::detail::Handshake, refran_handshake, ::refran::detail::kOwnHandshake) \
  REFRAN_EXPORT(void* const, refran_part, &(object))
