#include "plan_difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "value_differences.h"
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

}  // namespace

std::string plan_difference(const std::string& was, const std::string& is,
                            const std::vector<InputFile>& inputs) {
  std::vector<std::string> texts;
  const Value old_config = parse_yaml(config_of(was), "");
  const Value new_config = parse_yaml(config_of(is), "");
  for (const ValueDifference& field : value_differences(old_config, new_config)) {
    texts.push_back(fmt::format("{} was {}, is {}", field.key, shown(field.was), shown(field.is)));
  }
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
