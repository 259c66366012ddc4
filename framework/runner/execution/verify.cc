#include "verify.h"

#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compare.h"
#include "diagnostics.h"
#include "result_file.h"
#include "run_experiment.h"
#include "storage_error.h"
#include "temporary_folder.h"
#include "text_file.h"

namespace refran::runner {
namespace {

using Json = nlohmann::ordered_json;

// The fields of the environment that may change numbers, as "plugin/build_id"; wall-clock facts and
// names are not among them.
constexpr const char* kIdentity[] = {
    "/refran/version",  "/refran/commit",        "/refran/compiler", "/refran/flags",
    "/plugin/build_id", "/plugin/part_build_id", "/libraries",       "/cpu",
    "/threads_per_run"};

std::vector<std::string> changes(const Json& then, const Json& now) {
  std::vector<std::string> texts;
  for (const char* const field : kIdentity) {
    const Json::json_pointer pointer(field);
    const std::string was = then.contains(pointer) ? then.at(pointer).dump() : "unknown";
    const std::string is = now.contains(pointer) ? now.at(pointer).dump() : "unknown";
    if (was != is) texts.push_back(fmt::format("{}: was {}, is {}", field + 1, was, is));
  }
  return texts;
}

}  // namespace

Verification verify_result(const std::filesystem::path& result,
                           const std::vector<std::filesystem::path>& plugin_folders) {
  const ResultFile expected(result);
  const TemporaryFolder folder;
  RunRequest request;
  request.file = folder.path() / "config.yaml";
  request.plugin_folders = plugin_folders;
  request.out = folder.path() / "results";
  write_file_atomically(request.file, expected.provenance("config"));
  const Json then = Json::parse(expected.provenance("environment"));
  request.threads = then.value("threads_per_run", 0);
  const RunReport report = run_experiment(request);
  if (report.result.empty()) throw StorageError("the run did not end, so nothing can be compared");

  const ResultFile found(report.result);
  Verification verification;
  verification.level = expected.attribute("reproducibility");
  const std::string tolerance = expected.attribute("tolerance");
  verification.differences = differences(
      expected, found, verification.level == "close" ? std::strtod(tolerance.c_str(), nullptr) : 0);
  verification.environment = changes(then, Json::parse(found.provenance("environment")));
  verification.may_differ =
      verification.level == "same machine" && !verification.environment.empty();
  return verification;
}

}  // namespace refran::runner
