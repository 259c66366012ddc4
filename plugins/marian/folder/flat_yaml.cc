#include "flat_yaml.h"

#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "../checkpoint.h"

namespace refran::marian {
namespace {

constexpr std::size_t kDeepestYaml = 16;

class Options : public YAML::EventHandler {
 public:
  explicit Options(const std::filesystem::path& file) : file_(file) {}

  std::map<std::string, YamlOption, std::less<>> take() { return std::move(options_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { scalar(mark, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "found an alias ('*'), allowed: none");
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    scalar(mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, true);
  }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& text) const {
    throw ModelError(
        fmt::format("{}:{}:{}: {}", file_.string(), mark.line + 1, mark.column + 1, text));
  }

  void open(const YAML::Mark& mark, bool is_map) {
    if (depth_ == 0 && !is_map) refuse(mark, "found a list, allowed: a map of options");
    if (depth_ == 1 && !has_key_) refuse(mark, "found a list or map as a key, allowed: a text");
    if (depth_ == 1) option_.is_list = !is_map;
    if (depth_ == 2 || (depth_ == 1 && is_map)) is_nested_ = true;
    if (++depth_ > kDeepestYaml)
      refuse(mark, fmt::format("found nesting beyond {} levels", kDeepestYaml));
  }

  void close() {
    if (--depth_ == 1) store();
  }

  void scalar(const YAML::Mark& mark, const std::string& value) {
    if (depth_ == 0) refuse(mark, "found no map, allowed: a map of options");
    if (depth_ == 1 && !has_key_) {
      key_ = value;
      has_key_ = true;
      if (options_.contains(key_)) refuse(mark, fmt::format("found '{}' a second time", key_));
    } else if (!is_nested_) {
      option_.items.push_back(value);
      if (depth_ == 1) store();
    }
  }

  void store() {
    if (is_nested_) {
      is_nested_ = false;
    } else {
      options_[key_] = std::move(option_);
    }
    option_ = {};
    has_key_ = false;
  }

  const std::filesystem::path& file_;
  std::map<std::string, YamlOption, std::less<>> options_;
  std::size_t depth_ = 0;
  std::string key_;
  bool has_key_ = false;
  bool is_nested_ = false;  // the option being read is more than a list of scalars
  YamlOption option_;
};

}  // namespace

std::map<std::string, YamlOption, std::less<>> read_flat_yaml(std::string_view text,
                                                              const std::filesystem::path& file) {
  Options options(file);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(options);
  } catch (const YAML::Exception& error) {
    throw ModelError(fmt::format("{}:{}:{}: found text that is no YAML ({})", file.string(),
                                 error.mark.line + 1, error.mark.column + 1, error.msg));
  }
  return options.take();
}

}  // namespace refran::marian
