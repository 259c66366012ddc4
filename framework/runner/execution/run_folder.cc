#include "run_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "diagnostics.h"
#include "digest.h"
#include "storage_error.h"
#include "text_file.h"
#include "utc.h"

namespace refran::runner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlanFile = "plan.txt";  // the plan digest, and below it the plan
constexpr std::chrono::seconds kSilence{60};
constexpr std::chrono::seconds kRenewal{10};

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

std::string boot_id() {
  std::string id = read_text_file("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

// When a process started, in clock ticks since boot: with it a pid is not mistaken for a later
// process'. 0 = none such.
std::uint64_t start_time_of(pid_t pid) {
  const std::string stat = read_text_file(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z") return 0;
  for (int i = 4; i <= 21; ++i) fields >> field;  // proc(5): field 22 is starttime
  std::uint64_t ticks = 0;
  fields >> ticks;
  return ticks;
}

std::string lease_text() {
  const nlohmann::ordered_json json{{"state", "running"},
                                    {"host", host_name()},
                                    {"boot_id", boot_id()},
                                    {"pid", getpid()},
                                    {"process_started", start_time_of(getpid())}};
  return json.dump(2) + "\n";
}

bool is_recent(const fs::path& file) {
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - written < kSilence;
}

bool is_held(const fs::path& file, const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.contains("process_started"))
    return is_recent(file) && json.is_discarded();
  if (json.value("state", "") != "running") return false;
  if (json.value("host", "") != host_name()) return is_recent(file);
  return json.value("boot_id", "") == boot_id() &&
         start_time_of(json.value("pid", 0)) == json.value("process_started", std::uint64_t{0});
}

bool is_finished(const fs::path& folder) { return fs::exists(folder / "run.h5"); }

std::string digest_of(const std::string& plan) { return to_hex(sha256_of_text(plan)); }

std::string digest_in(const fs::path& folder) {
  std::ifstream file(folder / kPlanFile);
  std::string digest;
  std::getline(file, digest);
  return digest;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw StorageError(fmt::format("{}: cannot be created: {}", folder.string(), error.message()));
}

}  // namespace

std::optional<Lease> Lease::acquire(const fs::path& folder) {
  const fs::path file = folder / "status.json";
  const std::string mine = lease_text();
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (write_new_file(file, mine)) return Lease(file);
    const std::string theirs = read_text_file(file);
    if (is_held(file, theirs)) return std::nullopt;
    // Whoever moves the stale lease away may make a new one. If what was moved is not what was
    // judged, somebody was faster: theirs is put back, unless they have gone on meanwhile.
    const fs::path stale = folder / fmt::format("status.{}.stale", getpid());
    if (std::rename(file.c_str(), stale.c_str()) != 0) continue;
    if (read_text_file(stale) != theirs) {
      link(stale.c_str(), file.c_str());
      unlink(stale.c_str());
      return std::nullopt;
    }
    unlink(stale.c_str());
  }
  return std::nullopt;
}

Lease::Lease(const fs::path& file)
    : file_(std::make_unique<fs::path>(file)), renewal_([file](const std::stop_token& stop) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any never;
        while (!never.wait_for(lock, stop, kRenewal, [] { return false; }) &&
               !stop.stop_requested()) {
          utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
        }
      }) {}

Lease::~Lease() {
  if (file_ == nullptr) return;
  auto json = nlohmann::ordered_json::parse(read_text_file(*file_), nullptr, false);
  if (!json.is_object()) return;
  json["state"] = "stopped";
  try {
    write_file_atomically(*file_, json.dump(2) + "\n");
  } catch (const StorageError&) {  // a lease of a process that is gone is stale anyway
  }
}

void Lease::finish() {
  std::error_code ignored;
  fs::remove(*file_, ignored);
  file_.reset();
}

RunFolder RunFolder::create(const fs::path& experiment_folder, const std::string& plan) {
  make_folder(experiment_folder);
  const std::string digest = digest_of(plan);
  const std::string name = fmt::format("{}-{}", utc_now("%Y%m%dT%H%M%SZ"), digest.substr(0, 6));
  for (int copy = 1;; ++copy) {
    const fs::path path = experiment_folder / (copy == 1 ? name : fmt::format("{}-{}", name, copy));
    if (mkdir(path.c_str(), 0755) != 0) {
      if (errno == EEXIST) continue;
      throw_errno(path, "cannot be created");
    }
    try {
      std::optional<Lease> lease = Lease::acquire(path);
      if (!lease) continue;  // somebody took the new folder for an abandoned one
      make_folder(path / "segments");
      write_file_atomically(path / kPlanFile, digest + "\n" + plan);
      return {path, std::move(*lease)};
    } catch (const StorageError&) {
      std::error_code ignored;
      fs::remove_all(path, ignored);
      throw;
    }
  }
}

std::optional<RunFolder> RunFolder::find_resumable(const fs::path& experiment_folder,
                                                   const std::string& plan, bool with_failures) {
  const std::string digest = digest_of(plan);
  std::vector<fs::path> folders;
  std::error_code ignored;  // no results yet
  for (const auto& entry : fs::directory_iterator(experiment_folder, ignored)) {
    if (entry.is_directory() && digest_in(entry.path()) == digest) folders.push_back(entry.path());
  }
  std::sort(folders.rbegin(), folders.rend());
  const auto has_work = [&](const fs::path& folder) {
    return !is_finished(folder) || (with_failures && fs::exists(folder / "segments"));
  };
  for (const fs::path& folder : folders) {
    if (!has_work(folder)) continue;
    std::optional<Lease> lease = Lease::acquire(folder);
    if (!lease) continue;
    if (has_work(folder)) return RunFolder(folder, std::move(*lease));
    lease->finish();  // whoever held it has just finished the run
  }
  return std::nullopt;
}

RunFolder RunFolder::open(const fs::path& folder) {
  if (is_finished(folder) && !fs::exists(folder / "segments")) {
    throw ConfigError(fmt::format("{}: is complete, there is nothing to resume", folder.string()));
  }
  if (!fs::exists(folder / kPlanFile)) {
    throw ConfigError(fmt::format("{}: is no folder of an unfinished run", folder.string()));
  }
  std::optional<Lease> lease = Lease::acquire(folder);
  if (!lease)
    throw ConfigError(fmt::format("{}: another process is working on it", folder.string()));
  return {folder, std::move(*lease)};
}

std::string RunFolder::new_launch() const {
  std::set<std::string> launches;
  for (const auto& entry : fs::directory_iterator(segments())) {
    const std::string name = entry.path().filename().string();
    launches.insert(name.substr(0, name.find('-')));
  }
  int launch = 0;
  while (launches.contains(std::to_string(launch))) ++launch;
  return fmt::format("{}-{}", launch, getpid());
}

std::string RunFolder::plan() const {
  const std::string text = read_text_file(path_ / kPlanFile);
  return text.substr(text.find('\n') + 1);
}

void RunFolder::finish(const fs::path& partial, bool is_latest, bool keep_segments) {
  rename_file(partial, result());
  if (is_latest) {
    const fs::path link = path_.parent_path() / "latest.h5";
    const fs::path beside = path_.parent_path() / fmt::format(".latest.{}", getpid());
    std::error_code error;
    fs::remove(beside, error);
    fs::create_symlink(fs::path(id()) / "run.h5", beside, error);
    if (!error) fs::rename(beside, link, error);  // a convenience: its absence is no failure
  }
  if (!keep_segments) {
    std::error_code ignored;
    fs::remove_all(segments(), ignored);
    fs::remove(path_ / kPlanFile, ignored);
  }
  lease_.finish();
}

void RunFolder::discard() {
  std::error_code ignored;
  lease_.finish();
  fs::remove_all(path_, ignored);
}

}  // namespace refran::runner
