// Opens plugin libraries. The only code that sees Boost.DLL.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include <refran/detail/abi.h>
#include <refran/schema.h>

namespace refran::runner {

// A plugin file that cannot be used: one sentence that says what, which file, and what to do.
class PluginLoadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An opened plugin. It stays open until the process ends: torch crashes when unloaded, and so would
// anything of the plugin's that outlives it.
class Plugin {
 public:
  Plugin(std::filesystem::path library, const detail::Handshake& handshake,
         const detail::ExperimentTable& table);

  const Description& description() const { return description_; }
  const detail::ExperimentTable& table() const { return table_; }
  const detail::Handshake& handshake() const { return handshake_; }
  const std::filesystem::path& library() const { return library_; }

  // Throws PluginLoadError where it has a second library that is not there.
  void require_part() const;
  // The interface object of its second library, opened on first use.
  const void* part() const;

 private:
  std::filesystem::path library_;
  const detail::Handshake& handshake_;
  const detail::ExperimentTable& table_;
  Description description_;
  mutable const void* part_ = nullptr;
};

// Opens it once per process, however often it is asked for. Throws PluginLoadError.
const Plugin& load_plugin(const std::filesystem::path& library);

// The file of a plugin's second library: beside the first.
std::filesystem::path part_file(const std::filesystem::path& library, const std::string& part);

// `toy-encoder` ↔ `toy_encoder`.
std::string plugin_name(const std::string& file_stem);
std::string file_stem(const std::string& plugin_name);

}  // namespace refran::runner
