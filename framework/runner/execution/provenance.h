// What a result remembers of how it came about.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "catalog.h"
#include "plan.h"

namespace refran::runner {

struct InputFile {
  std::filesystem::path path;
  std::string sha256;
};

// Reads and hashes the files. Throws ConfigError where one cannot be read.
std::vector<InputFile> hash_inputs(const std::vector<std::filesystem::path>& files);

// What makes two plans the same work: the resolved configs, the plugin's code and the contents of
// the inputs; not where they are. Its hexadecimal SHA-256 is the plan digest.
std::string plan_text(const Plan& plan, const PluginFile& plugin,
                      const std::vector<InputFile>& inputs);

// JSON of the inputs, their paths relative to the config's base where they are below it.
std::string inputs_json(const std::vector<InputFile>& inputs, const std::filesystem::path& base);

// JSON: versions, build-ids, compiler and flags of the sdk and the plugins, CPU, threads, host,
// command line.
std::string environment_json(const PluginFile& plugin, int workers, int threads);

}  // namespace refran::runner
