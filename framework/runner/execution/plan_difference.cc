#include "plan_difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "yaml.h"

namespace refran::runner {
namespace {

constexpr std::string_view kPluginLine = "\nplugin ";

std::string config_of(const std::string& plan) {
  return plan.substr(0, plan.find(kPluginLine) + 1);
}

std::string plugin_line_of(const std::string& plan) {
  const std::size_t start = plan.find(kPluginLine);
  if (start == std::string::npos) return "";
  return plan.substr(start + 1, plan.find('\n', start + 1) - start);
}

std::string shown(const Value* value) {
  return value == nullptr ? "not given" : in_quotes(to_yaml_line(*value));
}

void add_differences(const std::string& key, const Value* was, const Value* is,
                     std::vector<std::string>& texts) {
  if (was != nullptr && is != nullptr && *was == *is) return;
  const bool are_maps =
      was != nullptr && is != nullptr && was->kind == Value::Kind::map && is->kind == was->kind;
  if (!are_maps) {
    texts.push_back(fmt::format("{} was {}, is {}", key, shown(was), shown(is)));
    return;
  }
  const std::string prefix = key.empty() ? "" : key + ".";
  for (const Entry& entry : was->entries) {
    add_differences(prefix + entry.key, &entry.value, is->find(entry.key), texts);
  }
  for (const Entry& entry : is->entries) {
    if (was->find(entry.key) == nullptr)
      add_differences(prefix + entry.key, nullptr, &entry.value, texts);
  }
}

}  // namespace

std::string plan_difference(const std::string& was, const std::string& is,
                            const std::vector<InputFile>& inputs) {
  std::vector<std::string> texts;
  const Value old_config = parse_yaml(config_of(was), "");
  const Value new_config = parse_yaml(config_of(is), "");
  add_differences("", &old_config, &new_config, texts);
  if (plugin_line_of(was) != plugin_line_of(is)) texts.emplace_back("the plugin was rebuilt");
  for (const InputFile& input : inputs) {
    if (was.find("input " + input.sha256) == std::string::npos) {
      texts.push_back(fmt::format("the input {} was another", input.path.string()));
    }
  }
  if (texts.empty() && was != is) texts.emplace_back("the inputs were others");
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace refran::runner
