#include "side_by_side.h"

#include <fmt/format.h>

#include <refran/error.h>

namespace refran::marian {
namespace {

// `what`: "source", "target".
void check(std::string_view what, std::size_t sentence, const Ids& ids, std::size_t max_positions,
           std::size_t vocabulary) {
  if (ids.empty()) throw Error(fmt::format("{} {}: found no tokens", what, sentence + 1));
  if (ids.size() > max_positions)
    throw Error(
        fmt::format("{} {}: found {} tokens, allowed: at most {}, the positions of the model", what,
                    sentence + 1, ids.size(), max_positions));
  for (const std::int32_t id : ids) {
    if (id >= 0 && static_cast<std::size_t>(id) < vocabulary) continue;
    throw Error(fmt::format("{} {}: found the id {}, allowed: 0 to {}, the model's {} vocabulary",
                            what, sentence + 1, id, vocabulary - 1, what));
  }
}

}  // namespace

SideBySide source_rows(const ModelConfig& config, std::span<const Ids> sources) {
  SideBySide rows;
  for (const Ids& source : sources) {
    check("source", rows.sentences(), source, config.max_positions, config.source_vocabulary);
    for (const std::int32_t id : source) rows.add(id);
    rows.end_sentence();
  }
  return rows;
}

SideBySide target_rows(const ModelConfig& config, std::span<const Ids> sources,
                       std::span<const Ids> targets) {
  if (sources.size() != targets.size())
    throw Error(fmt::format("found {} sources and {} targets, allowed: one target per source",
                            sources.size(), targets.size()));
  SideBySide rows;
  for (const Ids& target : targets) {
    check("target", rows.sentences(), target, config.max_positions, config.target_vocabulary);
    rows.add(config.decoder_start_id);
    for (std::size_t step = 0; step + 1 < target.size(); ++step) rows.add(target[step]);
    rows.end_sentence();
  }
  return rows;
}

Ids joined(std::span<const Ids> targets) {
  Ids result;
  for (const Ids& target : targets) result.insert(result.end(), target.begin(), target.end());
  return result;
}

}  // namespace refran::marian
