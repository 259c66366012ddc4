// The commands that hold one result against another: the same run done again, or a second file.
#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "compare.h"
#include "output.h"
#include "result_file.h"
#include "stop.h"
#include "verify.h"

namespace refran::cli {
namespace {

using namespace refran::runner;

constexpr std::size_t kMostShown = 10;  // datasets that `verify` names

std::string verdict(const Verification& verified) {
  const std::string sample =
      verified.repeated < verified.runs
          ? fmt::format(", {} of {} runs done again", verified.repeated, verified.runs)
          : "";
  if (verified.differences.empty()) {
    const std::string within = verified.level == "close" ? " within " + verified.tolerance : "";
    const bool is_whole = verified.damage.empty();
    return fmt::format("identical{}{}{}", within, sample,
                       is_whole ? "" : "; but the file was changed since it was written");
  }
  if (verified.may_differ) {
    return fmt::format(
        "not identical{}; it promises equal bytes only on the same machine and build", sample);
  }
  return fmt::format("NOT identical{}, though it declares '{}'", sample, verified.level);
}

void print(const std::filesystem::path& file, const Verification& verified, int output) {
  for (const std::string& problem : verified.damage) print_line(output, with_file(file, problem));
  for (const Difference& field : verified.provenance)
    print_line(output, fmt::format("changed since then: {}", as_change(field)));
  const std::size_t shown = std::min(verified.differences.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) print_line(output, as_change(verified.differences[i]));
  if (shown < verified.differences.size())
    print_line(output, fmt::format("and {} more", verified.differences.size() - shown));
  if (!verified.differences.empty() && verified.provenance.empty())
    print_line(output, "nothing has changed in the recorded environment");
  print_line(output, with_file(file, verdict(verified)));
}

void print_section(const char* title, const std::vector<Difference>& differences) {
  if (differences.empty()) return;
  fmt::print("{}\n", title);
  for (const Difference& difference : differences) fmt::print("  {}\n", side_by_side(difference));
}

}  // namespace

int verify(const Options& options) {
  const std::filesystem::path file = result_path(options.result);
  listen_for_stop_signals();
  const int output = redirect_standard_output();
  const Verification verified =
      verify_result({file, options.request.plugin_folders, options.sample});
  if (verified.stopped) {
    fmt::print(stderr, "stopped before the runs were done again; nothing was compared\n");
    return kStopped;
  }
  print(file, verified, output);
  const bool is_reproduced = verified.differences.empty() || verified.may_differ;
  return is_reproduced && verified.damage.empty() ? 0 : kNotPassed;
}

int diff(const Options& options) {
  const ResultFile was(result_path(options.result));
  const ResultFile is(result_path(options.other_result));
  const std::vector<Difference> config = config_differences(was, is);
  const std::vector<Difference> provenance = provenance_differences(was, is);
  const std::vector<Difference> datasets = dataset_differences(was, is, options.tolerance);
  fmt::print("{} / {}\n", was.path().string(), is.path().string());
  print_section("config", config);
  print_section("datasets", datasets);
  print_section("provenance, which does not count", provenance);
  if (!config.empty() || !datasets.empty()) {
    fmt::print("different\n");
    return kNotPassed;
  }
  fmt::print("equal{}\n",
             options.tolerance > 0 ? fmt::format(" within {}", options.tolerance) : "");
  return 0;
}

}  // namespace refran::cli
