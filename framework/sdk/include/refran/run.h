// What an experiment function is given: where to put outputs, and all it may ask of the runner.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <refran/array.h>
#include <refran/detail/host.h>
#include <refran/error.h>
#include <refran/output.h>
#include <refran/random.h>

namespace refran {

// Puts outputs of a run, or of one item of it. A wrong extent (one length per dimension name per
// run or item), an undeclared output, or one written twice throws PluginError.
class Writer {
 public:
  // Writes the whole output.
  template <class T, std::size_t Rank>
  void put(const Output<T, Rank>& output, const std::type_identity_t<ArrayView<T, Rank>>& array) {
    host_->put(ref(output), item_, {array.extents, array.values.data(), array.values.size()});
  }

  // Adds one entry along the output's first dimension: `run.append(kLoss, loss)`. Written out in
  // chunks.
  template <class T, std::size_t Rank>
  requires(Rank > 0) void append(const Output<T, Rank>& output,
                                 const std::type_identity_t<ArrayView<T, Rank - 1>>& entry) {
    Extents<Rank> extents{1};
    for (std::size_t axis = 1; axis < Rank; ++axis) extents[axis] = entry.extents[axis - 1];
    host_->append(ref(output), item_, {extents, entry.values.data(), entry.values.size()});
  }

  // Names the positions along a dimension: tokens, words, heads. Without labels they are 0 … n-1.
  void labels(std::string_view dim, std::vector<std::string> labels) {
    host_->labels(item_, dim, std::move(labels));
  }

 protected:
  Writer(detail::Host* host, std::size_t item) : host_(host), item_(item) {}

  detail::Host* host_;

 private:
  template <class T, std::size_t Rank>
  static detail::OutputRef ref(const Output<T, Rank>& output) {
    return {&output, output.name, detail::element_type<T>(), Rank};
  }

  std::size_t item_;
};

// One item of a named list, in whose group per-item outputs are put.
class Item : public Writer {
 private:
  friend class Run;
  Item(detail::Host* host, std::size_t index) : Writer(host, index) {}
};

class Run : public Writer {
 public:
  explicit Run(detail::Host* host) : Writer(host, detail::kNoItem) {}

  // Names the items of the list that per-item outputs are written for (a plugin has one list), then
  // gives each.
  void items(std::string_view list, std::vector<std::string> labels) {
    host_->items(list, std::move(labels));
  }
  Item item(std::size_t index) { return {host_, index}; }

  std::uint64_t seed() const { return host_->seed(); }
  // Numbers of its own for every name, the same for the same seed and name.
  Stream stream(std::string_view name) const { return {host_->seed(), name}; }

  // Kept in the result, and shown while the run goes on.
  void log(std::string_view text) { host_->log(text, false); }
  void warn(std::string_view text) { host_->log(text, true); }
  // Records in the provenance what a field spelled `auto` became.
  void note(std::string_view key, std::string_view value) { host_->note(key, value); }
  // How many bytes of outputs will be kept: the runner says so, and refuses what the disk cannot
  // hold.
  void announce(std::uint64_t bytes) { host_->announce(bytes); }

  void progress(double done, double total) { host_->progress(done, total); }
  // True after Ctrl-C or a scheduler's signal: return soon; the run counts as stopped and will be
  // done again.
  bool stop_requested() { return host_->stop_requested(); }
  // How many threads the run may use.
  int threads() const { return host_->threads(); }

  // Ends the run as failed, with its reason; for members of a group, whose others go on.
  void fail(std::string text) { host_->fail(std::move(text)); }
  // Commits the run now instead of when the function returns; for members of a group.
  void complete() { host_->complete(); }

  // The interface object of the plugin's second library, opened on first use (see REFRAN_PART).
  template <class Interface>
  const Interface& part() {
    return *static_cast<const Interface*>(host_->part());
  }
};

// Runs that differ in their seed alone, to be done together. What belongs to a run is asked of the
// member, what belongs to the work as a whole of the group.
class Group {
 public:
  explicit Group(std::vector<Run> members) : members_(std::move(members)) {}

  std::span<Run> members() { return members_; }

  void log(std::string_view text) { members_.front().log(text); }
  void progress(double done, double total) { members_.front().progress(done, total); }
  bool stop_requested() { return members_.front().stop_requested(); }
  int threads() const { return members_.front().threads(); }
  template <class Interface>
  const Interface& part() {
    return members_.front().part<Interface>();
  }

 private:
  std::vector<Run> members_;
};

}  // namespace refran
