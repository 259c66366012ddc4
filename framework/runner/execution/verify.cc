#include "verify.h"

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "compare.h"
#include "diagnostics.h"
#include "result_file.h"
#include "run_experiment.h"
#include "sample.h"
#include "temporary_folder.h"
#include "text_file.h"
#include "yaml.h"

namespace refran::runner {
namespace {

// Writes the experiment file that does runs of a result again; returns which. All of them are done
// where the sample is 0, or has no fewer.
std::vector<std::size_t> write_config(const std::filesystem::path& file, const std::string& config,
                                      std::size_t sample, std::size_t& runs) {
  write_file_atomically(file, config);
  const Spec spec = read_spec(file, {}, {});
  spec.diagnostics.throw_if_any();
  runs = grid_size(spec.axes);
  std::vector<std::size_t> repeated = even_sample(runs, sample == 0 ? runs : sample);
  if (repeated.size() == runs) return repeated;
  Value sampled = parse_yaml(config, file.string());
  sampled["sweep"] = sweep_of_runs(spec.axes, repeated);
  write_file_atomically(file, to_yaml(sampled));
  return repeated;
}

}  // namespace

Verification verify_result(const VerifyRequest& request) {
  const ResultFile expected(request.result);
  const TemporaryFolder folder;
  RunRequest again;
  again.file = folder.path() / "config.yaml";
  again.plugin_folders = request.plugin_folders;
  again.is_kept = false;
  again.out = folder.path() / "results";
  again.threads =
      nlohmann::json::parse(expected.provenance("environment")).value("threads_per_run", 0);
  Verification verification;
  const std::vector<std::size_t> repeated =
      write_config(again.file, expected.provenance("config"), request.sample, verification.runs);
  verification.repeated = repeated.size();
  const RunReport report = run_experiment(again);
  verification.stopped = report.stopped;
  if (report.stopped) return verification;

  const ResultFile found(report.result);
  verification.level = expected.attribute("reproducibility");
  verification.tolerance = expected.attribute("tolerance");
  const double tolerance =
      verification.level == "close" ? std::strtod(verification.tolerance.c_str(), nullptr) : 0;
  verification.damage = check_result(request.result);
  verification.differences = dataset_differences(expected, found, repeated, tolerance);
  verification.provenance = provenance_differences(expected, found);
  verification.may_differ =
      verification.level == "same machine" && !verification.provenance.empty();
  return verification;
}

}  // namespace refran::runner
