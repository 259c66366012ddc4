// Times refran::marian: answers the requests of tests/bench/marian, one line of JSON each, with a
// line of JSON, so that a model is loaded once and measured in turn with other programs.
//
//   cmake --build build/dev --target marian_probe_bench
//   build/dev/bin/marian_probe_bench MODEL TEXTS    (folders made by peers/marian_model.py)
//
// Requests: {"do": "translate", "batch", "beam", "tokens", "sentences", "keep"}, {"do": "ablate",
// "heads": [[kind, layer, head], …], "pairs"}, {"do": "bandwidth"}, {"do": "memory"}. Seconds are
// wall and CPU time of the work alone; layers and heads count from 0.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <marian/generation.h>
#include <marian/reference_scores.h>
#include <marian/tokenizer.h>
#include <nlohmann/json.hpp>

namespace refran::marian {
namespace {

using nlohmann::json;

constexpr std::size_t kThreads = 2;

// Of this process, in seconds.
double cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Since it was made.
class Stopwatch {
 public:
  double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double cpu() const { return cpu_time() - cpu_start_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double cpu_start_ = cpu_time();
};

json taken(const Stopwatch& watch) {
  return {{"seconds", watch.wall()}, {"cpu_seconds", watch.cpu()}};
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  if (lines.empty()) throw std::runtime_error(fmt::format("{}: no lines", path.string()));
  return lines;
}

std::size_t bytes_of(const AttentionRecord& record) {
  return sizeof(float) * record.weight.values().size();
}

// The most memory this process has used, in bytes, as the system counts it.
std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    std::size_t kilobytes = 0;
    status >> kilobytes;
    return 1024 * kilobytes;
  }
  throw std::runtime_error("/proc/self/status names no VmHWM");
}

AttentionKind kind_of(const std::string& name) {
  if (name == "encoder_self") return AttentionKind::encoder_self;
  if (name == "decoder_self") return AttentionKind::decoder_self;
  if (name == "cross") return AttentionKind::cross;
  throw std::invalid_argument(fmt::format("'{}' is no kind of attention", name));
}

// What the threads read per second when they add up memory that fits in no cache, in bytes.
double read_rate(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::uint64_t> sums(kThreads);
  const Stopwatch watch;
  {
    std::vector<std::jthread> threads;
    for (std::size_t part = 0; part < kThreads; ++part) {
      threads.emplace_back([&numbers, &sums, part] {
        const std::size_t size = numbers.size() / kThreads;
        const std::span<const std::uint64_t> own(numbers.data() + part * size, size);
        sums[part] = std::reduce(own.begin(), own.end());
      });
    }
  }
  const double seconds = watch.wall();
  // Looked at, so that the sums are not left out.
  if (std::reduce(sums.begin(), sums.end()) != numbers.size()) throw std::logic_error("wrong sum");
  return static_cast<double>(numbers.size() * sizeof(std::uint64_t)) / seconds;
}

class Bench {
 public:
  Bench(const std::filesystem::path& model, const std::filesystem::path& texts)
      : folder_(read_model_folder(model)),
        model_{folder_.config, load_weights(folder_, Checkpoint::open(folder_.weights))} {
    const Tokenizer tokenizer(folder_);
    for (const std::string& line : lines_of(texts / "sources.txt"))
      sources_.push_back(tokenizer.encode_source(line).ids);
    for (const std::string& line : lines_of(texts / "references.txt"))
      references_.push_back(tokenizer.encode_target(line).ids);
  }

  json answer(const json& request) {
    const std::string what = request.at("do");
    if (what == "translate") return translations(request);
    if (what == "ablate") return ablations(request);
    if (what == "bandwidth") return bandwidth();
    if (what == "memory") return {{"peak", peak_memory()}};
    throw std::invalid_argument(fmt::format("'{}' is nothing to do", what));
  }

 private:
  // Every translation has `tokens` of them, the last of them the forced end of the sentence.
  Decoding decoding_of(const json& request) const {
    Decoding decoding = folder_.decoding;
    decoding.beam_size = request.at("beam");
    decoding.min_length = request.at("tokens");
    decoding.max_length = decoding.min_length + 1;  // the start token counts
    return decoding;
  }

  json translations(const json& request) {
    const std::size_t batch = request.at("batch");
    const std::span<const Ids> sources(sources_.data(), request.at("sentences").get<std::size_t>());
    const Decoding decoding = decoding_of(request);
    GenerationOptions options;
    options.keep.attention = request.at("keep");
    std::vector<Translation> all;
    const Stopwatch watch;
    for (std::size_t first = 0; first < sources.size(); first += batch) {
      const auto group = sources.subspan(first, std::min(batch, sources.size() - first));
      for (Translation& t : translate(model_, group, decoding, {}, options, team_))
        all.push_back(std::move(t));
    }
    json result = taken(watch);
    std::size_t tokens = 0;
    std::size_t kept = 0;
    for (const Translation& t : all) {
      tokens += t.predicted.size();
      kept += bytes_of(t.encoder_self) + bytes_of(t.decoder_self) + bytes_of(t.cross);
      result["ids"].push_back(t.predicted);
    }
    result["tokens"] = tokens;
    result["kept"] = kept;
    return result;
  }

  json ablations(const json& request) {
    const auto pairs = request.at("pairs").get<std::ptrdiff_t>();
    std::vector<Ids> sources(sources_.begin(), sources_.begin() + pairs);
    std::vector<Ids> references(references_.begin(), references_.begin() + pairs);
    std::vector<std::vector<double>> found;
    const Stopwatch watch;
    ReferenceScores scores(model_, std::move(sources), std::move(references), team_);
    for (const json& head : request.at("heads")) {
      Gates gates;
      gates.set({kind_of(head.at(0)), head.at(1), head.at(2)}, {GateMode::zero, {}});
      found.push_back(scores.log_probability(gates));
    }
    json result = taken(watch);
    result["log_probability"] = found;
    return result;
  }

  // The median of several rounds: others on the machine use the memory too.
  static json bandwidth() {
    const std::vector<std::uint64_t> numbers(std::size_t{64} << 20, 1);  // 512 MiB
    std::vector<double> rates(7);
    for (double& rate : rates) rate = read_rate(numbers);
    std::sort(rates.begin(), rates.end());
    return {{"bytes_per_second", rates[rates.size() / 2]}, {"best", rates.back()}};
  }

  ModelFolder folder_;
  Model model_;
  Team team_{kThreads};
  std::vector<Ids> sources_;
  std::vector<Ids> references_;
};

}  // namespace
}  // namespace refran::marian

int main(int count, char** words) try {
  if (count != 3) throw std::invalid_argument("usage: marian_probe_bench MODEL TEXTS");
  refran::marian::Bench bench(words[1], words[2]);
  for (std::string line; std::getline(std::cin, line);)
    std::cout << bench.answer(nlohmann::json::parse(line)) << std::endl;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
