// What two results say of how they came about. Declared in compare.h.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compare.h"
#include "diagnostics.h"
#include "value_differences.h"
#include "yaml.h"

namespace refran::runner {
namespace {

using Json = nlohmann::ordered_json;

// The fields of the environment that may change numbers.
constexpr const char* kIdentity[] = {"/refran/version",       "/refran/commit",  "/refran/compiler",
                                     "/refran/flags",         "/plugin/version", "/plugin/build_id",
                                     "/plugin/part_build_id", "/libraries",      "/cpu",
                                     "/threads_per_run"};

constexpr std::size_t kShownDigits = 12;  // of a SHA-256

Value config_of(const ResultFile& result) {
  Value config = parse_yaml(result.provenance("config"), result.path().string());
  std::erase_if(config.entries, [](const Entry& entry) { return entry.key == "base"; });
  return config;
}

std::string shown(const Value* value) {
  if (value == nullptr) return "not given";
  return value->kind == Value::Kind::text ? in_quotes(value->text)
                                          : on_one_line(to_yaml_line(*value));
}

std::string field_of(const Json& environment, const std::string& pointer) {
  const Json::json_pointer field(pointer);
  if (!environment.contains(field)) return "unknown";
  const Json& value = environment.at(field);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// SHA-256 by path.
std::map<std::string, std::string> inputs_of(const ResultFile& result) {
  std::map<std::string, std::string> inputs;
  for (const Json& input : Json::parse(result.provenance("inputs")))
    inputs.emplace(input.at("path").get<std::string>(), input.at("sha256").get<std::string>());
  return inputs;
}

void compare_inputs(const ResultFile& was, const ResultFile& is,
                    std::vector<Difference>& differences) {
  const auto left = inputs_of(was);
  const auto right = inputs_of(is);
  std::set<std::string> paths;
  for (const auto* const inputs : {&left, &right}) {
    for (const auto& [path, sha256] : *inputs) paths.insert(path);
  }
  const auto digest = [](const std::map<std::string, std::string>& inputs,
                         const std::string& path) {
    const auto found = inputs.find(path);
    return found == inputs.end() ? "none" : "sha256 " + found->second.substr(0, kShownDigits);
  };
  for (const std::string& path : paths) {
    if (left.contains(path) && right.contains(path) && left.at(path) == right.at(path)) continue;
    differences.push_back({"input " + path, digest(left, path), digest(right, path), ""});
  }
}

}  // namespace

std::vector<Difference> config_differences(const ResultFile& was, const ResultFile& is) {
  const Value left = config_of(was);
  const Value right = config_of(is);
  std::vector<Difference> differences;
  for (const ValueDifference& field : value_differences(left, right))
    differences.push_back({field.key, shown(field.was), shown(field.is), ""});
  return differences;
}

std::vector<Difference> provenance_differences(const ResultFile& was, const ResultFile& is) {
  const Json left = Json::parse(was.provenance("environment"));
  const Json right = Json::parse(is.provenance("environment"));
  std::vector<Difference> differences;
  for (const std::string pointer : kIdentity) {
    Difference field{pointer.substr(1), field_of(left, pointer), field_of(right, pointer), ""};
    if (field.was != field.is) differences.push_back(std::move(field));
  }
  compare_inputs(was, is, differences);
  return differences;
}

}  // namespace refran::runner
