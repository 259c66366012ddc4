// The folder of one run or sweep, results/<experiment>/<run id>: who works in it, what is done, how
// it ends.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace refran::runner {

// Held while a process works in a run's folder: `status.json` (host, boot id, pid), made with
// O_EXCL. HDF5's own locking is off, since it fails on NFS. A holder that is gone from this host no
// longer holds; of another host's, a minute of silence says that, so a thread touches the file
// every ten seconds.
class Lease {
 public:
  // None where somebody else holds it.
  static std::optional<Lease> acquire(const std::filesystem::path& folder);
  Lease(Lease&&) = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();  // gives it back: the folder then says that the run was stopped

  // The run is complete: nothing is left to say.
  void finish();

 private:
  explicit Lease(const std::filesystem::path& file);

  std::unique_ptr<std::filesystem::path> file_;  // null = given back
  std::jthread renewal_;
};

class RunFolder {
 public:
  // Makes a new folder below `experiment_folder`, whose name nobody else has. Throws StorageError,
  // and leaves none then.
  static RunFolder create(const std::filesystem::path& experiment_folder, const std::string& plan);
  // The newest folder of that plan that is unfinished (or, with `with_failures`, has failed runs)
  // and not held.
  static std::optional<RunFolder> find_resumable(const std::filesystem::path& experiment_folder,
                                                 const std::string& plan, bool with_failures);
  // The folder that --resume names. Throws ConfigError where it is none, is complete, or somebody
  // works in it.
  static RunFolder open(const std::filesystem::path& folder);

  const std::filesystem::path& path() const { return path_; }
  std::string id() const { return path_.filename().string(); }
  std::filesystem::path segments() const { return path_ / "segments"; }
  // What the names of segments begin with that this process makes: no other process' do. A pid
  // alone would not do, since one process after the other may have the same (the first of a
  // container).
  std::string new_launch() const;
  std::filesystem::path result() const { return path_ / "run.h5"; }
  std::filesystem::path config() const { return path_ / "config.yaml"; }
  std::string plan() const;  // what it was made for (plan_text)

  // Puts the finished file in its place, points `latest.h5` at it (if `is_latest`) and removes what
  // is no longer needed; segments stay where `keep_segments`.
  void finish(const std::filesystem::path& partial, bool is_latest, bool keep_segments);
  // Removes a folder in which nothing was committed.
  void discard();

 private:
  RunFolder(std::filesystem::path path, Lease lease)
      : path_(std::move(path)), lease_(std::move(lease)) {}

  std::filesystem::path path_;
  Lease lease_;
};

}  // namespace refran::runner
