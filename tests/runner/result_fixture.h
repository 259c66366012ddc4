// A fixture for tests of result files: outputs are declared, runs made by hand, and all goes
// through segments into a file as the runner would do it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <refran/schema.h>
#include "digest.h"
#include "experiment_file.h"
#include "plan.h"
#include "result_file.h"
#include "result_writer.h"
#include "segment.h"
#include "spec.h"

namespace refran::runner {

// One run: what a plugin would put out.
class MadeRun {
 public:
  MadeRun(std::uint64_t run, const Description& description, SegmentWriter& writer)
      : description_(description), writer_(writer) {
    record_.run = run;
  }

  template <class T>
  MadeRun& put(const std::string& output, std::vector<std::uint64_t> extents,
               const std::vector<T>& values, std::uint32_t item = kNoItem) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::copy_n(std::as_bytes(std::span(values)).begin(), bytes.size(), bytes.begin());
    return put_bytes(output, std::move(extents), std::move(bytes), item);
  }
  MadeRun& put(const std::string& output, std::vector<std::uint64_t> extents,
               const std::vector<std::string>& values, std::uint32_t item = kNoItem) {
    const std::string text = encode_texts(values);
    const auto bytes = std::as_bytes(std::span(text));
    return put_bytes(output, std::move(extents), {bytes.begin(), bytes.end()}, item);
  }
  MadeRun& labels(const std::string& dim, std::vector<std::string> labels,
                  std::uint32_t item = kNoItem) {
    record_.labels.push_back(
        {item, dim, std::make_shared<const std::vector<std::string>>(std::move(labels))});
    return *this;
  }
  MadeRun& items(std::string list, std::vector<std::string> labels) {
    record_.item_list = std::move(list);
    record_.items = std::move(labels);
    return *this;
  }
  MadeRun& said(std::string log, std::string notes) {
    record_.log = std::move(log);
    record_.notes = std::move(notes);
    return *this;
  }
  void complete() { writer_.commit(record_); }
  void fail(std::string reason) {
    record_.status = RunStatus::failed;
    record_.failure = std::move(reason);
    record_.datasets.clear();
    record_.labels.clear();
    writer_.commit(record_);
  }

 private:
  MadeRun& put_bytes(const std::string& output, std::vector<std::uint64_t> extents,
                     std::vector<std::byte> bytes, std::uint32_t item) {
    DatasetRecord dataset;
    while (description_.outputs.at(dataset.output).name != output) ++dataset.output;
    const OutputInfo& info = description_.outputs[dataset.output];
    dataset.item = item;
    dataset.extents = std::move(extents);
    canonicalise(info.element, bytes);
    Hasher hasher;
    hasher.add(bytes);
    const std::string path =
        item == kNoItem ? output : info.per_item + "/" + std::to_string(item) + "/" + output;
    dataset.digest = dataset_digest(path, info.element, dataset.extents, hasher.finish());
    // In two pieces, so that reading has to join them, cut within a number.
    const std::size_t cut = bytes.size() / 2 + (bytes.size() > 2 ? 1 : 0);
    const std::span<const std::byte> all = bytes;
    if (cut > 0) dataset.pieces.push_back(writer_.write(all.first(cut)));
    if (cut < all.size()) dataset.pieces.push_back(writer_.write(all.subspan(cut)));
    record_.datasets.push_back(std::move(dataset));
    return *this;
  }

  const Description& description_;
  SegmentWriter& writer_;
  RunRecord record_;
};

class ResultTest : public ExperimentFileTest {
 protected:
  ResultTest() {
    description_.name = "toy";
    description_.question = "What is written?";
    description_.version = "2.0.0";
    description_.fields = {field("heads", FieldType::integer, Value::integer(std::int64_t{1})),
                           field("rate", FieldType::real, Value::real(0.5)),
                           field("name", FieldType::text, Value::string("small"))};
    info_ = {.run_id = "20261130T024512Z-3f9a1c",
             .config = "experiment: toy\n",
             .environment = R"({"refran": {"version": "0.1.0"}, "workers": 2})",
             .inputs = R"([{"path": "words.txt", "sha256": "00ff"}])",
             .started = "2026-11-30T02:45:12Z",
             .ended = "2026-11-30T02:45:13Z"};
    std::filesystem::create_directory(folder() / "segments");
    writer_ = std::make_unique<SegmentWriter>(folder() / "segments" / "0.seg");
  }

  static Field field(std::string name, FieldType type, Value default_value) {
    Field field;
    field.name = std::move(name);
    field.doc = "A field for a test";
    field.type = type;
    field.default_value = std::move(default_value);
    return field;
  }

  OutputInfo& declare(std::string name, Element element, std::vector<std::string> dims,
                      std::string per_item = "") {
    OutputInfo output;
    output.name = std::move(name);
    output.element = element;
    output.dims = std::move(dims);
    output.unit = "1";
    output.doc = "Numbers for a test";
    output.per_item = std::move(per_item);
    return description_.outputs.emplace_back(std::move(output));
  }

  MadeRun run(std::uint64_t index = 0) { return MadeRun(index, description_, *writer_); }

  Plan plan(const std::string& yaml) {
    return Plan(read_spec(ExperimentFileTest::write(yaml), {}, {}), description_, {});
  }

  // The result of the runs made, for an experiment file that says this below `experiment:`.
  std::filesystem::path write_runs(const std::string& yaml = "") {
    writer_->sync();
    const SegmentSet segments(folder() / "segments");
    std::filesystem::path file = folder() / "run.h5";
    digest_ = write_result(file, plan("experiment: toy\n" + yaml), segments, info_);
    return file;
  }

  // What is not the same between two writings is a fault: the bytes of a file.
  static std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static std::vector<double> numbers(const ResultFile& result, const std::string& path) {
    const DatasetInfo& dataset = *result.find(path);
    return result.read_numbers(dataset, 0, size_of_all(dataset));
  }
  static std::vector<std::string> texts(const ResultFile& result, const std::string& path) {
    const DatasetInfo& dataset = *result.find(path);
    return result.read_texts(dataset, 0, size_of_all(dataset));
  }
  static std::uint64_t size_of_all(const DatasetInfo& dataset) {
    std::uint64_t size = 1;
    for (const std::uint64_t extent : dataset.extents) size *= extent;
    return size;
  }

  Description description_;
  ResultInfo info_;
  std::unique_ptr<SegmentWriter> writer_;
  std::string digest_;
};

}  // namespace refran::runner
