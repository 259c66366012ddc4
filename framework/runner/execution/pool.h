// The worker processes of a sweep: hands out batches, outlives their crashes.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "plan.h"
#include "progress.h"
#include "segment.h"

namespace refran::runner {

struct PoolOptions {
  std::filesystem::path program;   // refran itself
  std::filesystem::path library;   // the plugin's
  std::string build_id;            // of that library
  std::filesystem::path config;    // the frozen config of the sweep
  std::filesystem::path segments;  // the folder that workers write into
  std::string launch;              // what the names of this launch's segments begin with
  int workers = 1;
  int threads = 1;             // per run
  std::size_t group_size = 0;  // most members of a group; 0 = the runner chooses
};

// The most runs of the next batch where so many are left: batches become smaller towards the end,
// so that no worker has much to do when the others are through (guided self-scheduling,
// Polychronopoulos and Kuck 1987). `has_group`: the plugin can do runs that differ in their seed
// together.
std::size_t batch_size(std::size_t left, const PoolOptions& options, bool has_group);

class Pool {
 public:
  Pool(const Plan& plan, PoolOptions options, Progress& progress);
  ~Pool();

  // Does the runs. A worker's crash costs the run in flight, which has then failed; the others of
  // its batch are done singly. Returns early where a stop is requested. Throws StorageError where
  // nothing can be written any more.
  void run(const std::vector<std::size_t>& pending);

  std::size_t failures() const { return failures_; }
  std::size_t warnings() const { return warnings_; }

 private:
  struct Batch {
    std::vector<std::size_t> runs;
    bool is_group = false;
  };
  struct Worker;

  std::deque<Batch> batches_of(const std::vector<std::size_t>& pending) const;
  Worker& start_worker();
  void give(Worker& worker, Batch batch);
  void wait_for_lines();
  void handle_line(Worker& worker, const std::string& line);
  void handle_end(Worker& worker);
  void handle_crash(Worker& worker, const std::string& how);
  void fail(std::size_t run, const std::string& how);
  void end_run(std::size_t run, const std::string& failure);
  void stop_workers();

  const Plan& plan_;
  PoolOptions options_;
  Progress& progress_;
  std::deque<Batch> queue_;
  std::list<Worker> workers_;
  int started_ = 0;
  std::unique_ptr<SegmentWriter> crashes_;  // runs that a crash has failed
  std::string broken_;                      // why a worker cannot go on
  std::size_t failures_ = 0;
  std::size_t warnings_ = 0;
};

}  // namespace refran::runner
