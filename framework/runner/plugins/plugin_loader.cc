#include "plugin_loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <boost/dll/shared_library.hpp>
#include <fmt/format.h>

namespace refran::runner {
namespace {

using boost::dll::shared_library;
using boost::dll::load_mode::type;

// All symbols are resolved now, so that a missing one shows before the run; the handle is never
// given back.
shared_library& open_for_ever(const std::filesystem::path& file) {
  constexpr auto kMode =
      static_cast<type>(boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  auto library = std::make_unique<shared_library>();
  boost::dll::fs::error_code error;
  dlerror();
  library->load(boost::dll::fs::path(file.string()), kMode, error);
  if (error) {
    const char* const reason = dlerror();
    throw PluginLoadError(fmt::format("{}: cannot be opened as a plugin: {}", file.string(),
                                      reason != nullptr ? reason : error.message()));
  }
  static auto& opened = *new std::vector<std::unique_ptr<shared_library>>();  // never destroyed
  return *opened.emplace_back(std::move(library));
}

// What keeps a library from being used with this program; "" = nothing.
std::string mismatch(const detail::Handshake& theirs) {
  const detail::Handshake& ours = detail::kOwnHandshake;
  if (theirs.interface != ours.interface || theirs.size < sizeof(detail::Handshake)) {
    return fmt::format("built for plugin interface {}, this refran has {}", theirs.interface,
                       ours.interface);
  }
  if (std::strcmp(theirs.standard_library, ours.standard_library) != 0) {
    return fmt::format("built with {}, this refran with {}", theirs.standard_library,
                       ours.standard_library);
  }
  if (theirs.cxx11_abi != ours.cxx11_abi) {
    return fmt::format("built with _GLIBCXX_USE_CXX11_ABI={}, this refran with {}",
                       theirs.cxx11_abi, ours.cxx11_abi);
  }
  const auto describe = [](bool on) { return on ? "with" : "without"; };
  const auto differs = [&](bool their, bool our, std::string_view what) {
    return their == our ? ""
                        : fmt::format("built {} {}, this refran {} it", describe(their), what,
                                      describe(our));
  };
  if (auto text = differs(theirs.debug_containers, ours.debug_containers, "_GLIBCXX_DEBUG");
      !text.empty())
    return text;
  if (auto text = differs(theirs.address_sanitizer, ours.address_sanitizer, "AddressSanitizer");
      !text.empty()) {
    return text;
  }
  return differs(theirs.thread_sanitizer, ours.thread_sanitizer, "ThreadSanitizer");
}

const detail::Handshake& handshake_of(shared_library& library, const std::filesystem::path& file) {
  if (!library.has(detail::kHandshakeSymbol)) {
    throw PluginLoadError(fmt::format(
        "{}: is no refran plugin: it lacks the symbol {}, which REFRAN_EXPERIMENT defines",
        file.string(), detail::kHandshakeSymbol));
  }
  const auto& handshake = library.get<const detail::Handshake>(detail::kHandshakeSymbol);
  if (const std::string text = mismatch(handshake); !text.empty()) {
    throw PluginLoadError(
        fmt::format("{}: {}; rebuild the plugin against this refran", file.string(), text));
  }
  return handshake;
}

std::string replaced(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

std::unique_ptr<Plugin> open_plugin(const std::filesystem::path& file) {
  shared_library& library = open_for_ever(file);
  const detail::Handshake& handshake = handshake_of(library, file);
  if (!library.has(detail::kExperimentSymbol)) {
    throw PluginLoadError(fmt::format(
        "{}: is no refran plugin: it lacks the symbol {}, which REFRAN_EXPERIMENT defines",
        file.string(), detail::kExperimentSymbol));
  }
  const auto& table = library.get<const detail::ExperimentTable>(detail::kExperimentSymbol);
  return std::make_unique<Plugin>(file, handshake, table);
}

const void* open_part(const std::filesystem::path& file) {
  shared_library& library = open_for_ever(file);
  handshake_of(library, file);
  if (!library.has(detail::kPartSymbol)) {
    throw PluginLoadError(fmt::format(
        "{}: is no second library of a plugin: it lacks the symbol {}, which REFRAN_PART "
        "defines",
        file.string(), detail::kPartSymbol));
  }
  return library.get<const void* const>(detail::kPartSymbol);
}

}  // namespace

Plugin::Plugin(std::filesystem::path library, const detail::Handshake& handshake,
               const detail::ExperimentTable& table)
    : library_(std::move(library)), handshake_(handshake), table_(table) {
  table_.describe(description_);
  description_.name = plugin_name(library_.stem().string());
}

const void* Plugin::part() const {
  if (description_.part.empty()) {
    throw PluginLoadError(
        fmt::format("{}: asks for a second library, but declares none (.part)", description_.name));
  }
  require_part();
  if (part_ == nullptr) part_ = open_part(part_file(library_, description_.part));
  return part_;
}

void Plugin::require_part() const {
  const std::filesystem::path file = part_file(library_, description_.part);
  if (description_.part.empty() || std::filesystem::exists(file)) return;
  throw PluginLoadError(
      fmt::format("{}: its second library {} is missing; rebuild the plugin with what that library "
                  "needs (a build without torch leaves it out)",
                  description_.name, file.string()));
}

const Plugin& load_plugin(const std::filesystem::path& library) {
  static auto& opened = *new std::map<std::filesystem::path, std::unique_ptr<Plugin>>();
  std::unique_ptr<Plugin>& plugin = opened[std::filesystem::weakly_canonical(library)];
  if (plugin == nullptr) plugin = open_plugin(library);
  return *plugin;
}

std::filesystem::path part_file(const std::filesystem::path& library, const std::string& part) {
  return library.parent_path() / (part + ".so");
}

std::string plugin_name(const std::string& file_stem) { return replaced(file_stem, '_', '-'); }
std::string file_stem(const std::string& plugin_name) { return replaced(plugin_name, '-', '_'); }

}  // namespace refran::runner
