#include "provenance.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <refran/detail/abi.h>
#include "digest.h"
#include "version.h"
#include "yaml.h"

namespace refran::runner {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

std::vector<InputFile> hash_inputs(const std::vector<std::filesystem::path>& files) {
  std::vector<InputFile> inputs;
  for (const std::filesystem::path& file : files)
    inputs.push_back({file, to_hex(sha256_of_file(file))});
  return inputs;
}

std::string plan_text(const Plan& plan, const PluginFile& plugin,
                      const std::vector<InputFile>& inputs) {
  std::string text = to_yaml(plan.resolved(false));
  text += fmt::format("plugin {} {}\n", plugin.build_id, plugin.part_build_id);
  for (const InputFile& input : inputs) text += fmt::format("input {}\n", input.sha256);
  return text;
}

std::string inputs_json(const std::vector<InputFile>& inputs, const std::filesystem::path& base) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const InputFile& input : inputs) {
    const std::filesystem::path relative =
        input.path.lexically_relative(std::filesystem::absolute(base));
    const bool is_below = !relative.empty() && *relative.begin() != "..";
    json.push_back(
        {{"path", (is_below ? relative : input.path).string()}, {"sha256", input.sha256}});
  }
  return json.dump(2);
}

std::string environment_json(const PluginFile& plugin, int workers, int threads) {
  utsname system{};
  uname(&system);
  nlohmann::ordered_json json;
  json["refran"] = {{"version", kVersion},
                    {"commit", kCommit},
                    {"compiler", REFRAN_COMPILER},
                    {"flags", kFlags},
                    {"build_type", REFRAN_BUILD_TYPE}};
  json["plugin"] = {{"name", plugin.description.name},
                    {"version", plugin.description.version},
                    {"build_id", plugin.build_id},
                    {"part_build_id", plugin.part_build_id}};
  json["libraries"] = kLibraries;
  json["cpu"] = cpu_model();
  json["threads_per_run"] = threads;
  json["workers"] = workers;
  json["host"] = system.nodename;
  json["system"] = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  json["command"] = command_line();
  return json.dump(2);
}

}  // namespace refran::runner
