// What opus-mt-probe refuses: rules between fields, and what does not fit the model or its limits.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <marian/checkpoint.h>

#include "config.h"
#include "texts.h"

namespace refran::opus_mt_probe {
namespace {

enum class Side { source, target };

// A text to be translated or forced, and where a message puts it: the field, and behind it " in
// line 3" where the field is a file.
struct PlacedText {
  Side side = Side::source;
  std::string field;
  std::string place;
  std::string text;
};

class Checker {
 public:
  Checker(const Config& config, Problems& problems) : config_(config), problems_(problems) {}

  void check() {
    check_kinds("keep.kinds", config_.keep.kinds);
    check_kinds("ablation.kinds", config_.ablation.kinds);
    check_supervised_spelling();
    check_decoding_words();
    collect_texts();
    collect_pairs();
    check_texts();
    if (count() == 0) check_against_model();
  }

 private:
  std::size_t count() const { return problems_.problems().size() - before_; }

  void check_kinds(const std::string& field, const std::vector<std::string>& kinds) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (seen.insert(kinds[i]).second) continue;
      problems_.add(fmt::format("{}[{}]", field, i),
                    fmt::format("found '{}' a second time, allowed: every kind once", kinds[i]));
    }
  }

  void check_supervised_spelling() {
    for (std::size_t i = 0; i < config_.supervised_heads.size(); ++i) {
      const std::string& label = config_.supervised_heads[i];
      if (supervised_head(label)) continue;
      problems_.add(
          fmt::format("supervised_heads[{}]", i),
          fmt::format("found '{}', allowed: a layer and a head of cross-attention, as L6H1",
                      label));
    }
  }

  void check_decoding_words() {
    const DecodingConfig& decoding = config_.decoding;
    if (decoding.strategy == "greedy" && decoding.beam_size.value_or(1) != 1) {
      problems_.add("decoding.beam_size",
                    fmt::format("found {} with strategy greedy, allowed: 1", *decoding.beam_size));
    }
  }

  void collect_texts() {
    collect(Side::source, "sentences", config_.sentences, "text", config_.text);
    const std::size_t sources = texts_.size();
    collect(Side::target, "target", config_.target, "target_text", config_.target_text);
    const std::size_t targets = texts_.size() - sources;
    if (sources == 0 && count() == 0) {
      const bool is_file = !config_.text.empty();
      problems_.add(is_file ? "text" : "sentences",
                    fmt::format("found no text, allowed: {}",
                                is_file ? "a file with a sentence in every line"
                                        : "at least one sentence, or a file of them in 'text'"));
    }
    if (config_.is_forced() && targets != sources && count() == 0) {
      problems_.add(config_.target_text.empty() ? "target" : "target_text",
                    fmt::format("found {} for {} sentences, allowed: one translation per sentence",
                                targets, sources));
    }
  }

  // The texts of a list, or of the file that is given instead.
  void collect(Side side, const std::string& list, const std::vector<std::string>& texts,
               const std::string& file_field, const std::filesystem::path& file) {
    if (!texts.empty() && !file.empty()) {
      problems_.add(file_field,
                    fmt::format("found a file beside '{}', allowed: one of the two", list));
      return;
    }
    for (std::size_t i = 0; i < texts.size(); ++i)
      texts_.push_back({side, fmt::format("{}[{}]", list, i), "", texts[i]});
    if (file.empty()) return;
    try {
      const std::vector<std::string> lines = read_lines(file);
      for (std::size_t i = 0; i < lines.size(); ++i)
        texts_.push_back({side, file_field, fmt::format(" in line {}", i + 1), lines[i]});
    } catch (const Error& error) {
      problems_.add(file_field, error.what());
    }
  }

  void collect_pairs() {
    if (!config_.ablation.is_on()) return;
    const std::string field = "ablation.pairs";
    try {
      const std::vector<SentencePair> pairs = read_pairs(config_.ablation.pairs);
      if (pairs.size() < 2) {
        problems_.add(field, fmt::format("found {} in the file, allowed: at least 2, since heads "
                                         "are chosen on one half and scored on the other",
                                         pairs.size()));
      }
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto place = [i](const char* part) {
          return fmt::format(" as the {} of line {}", part, i + 1);
        };
        texts_.push_back({Side::source, field, place("source"), pairs[i].source});
        texts_.push_back({Side::target, field, place("translation"), pairs[i].reference});
      }
    } catch (const Error& error) {
      problems_.add(field, error.what());
    }
  }

  void check_texts() {
    for (const PlacedText& text : texts_) {
      if (!is_utf8(text.text)) {
        problems_.add(text.field,
                      fmt::format("found bytes that are not UTF-8{}, allowed: UTF-8", text.place));
      } else if (text.text.find('\0') != std::string::npos) {
        problems_.add(text.field, fmt::format("found a zero byte{}, allowed: text", text.place));
      }
    }
  }

  void check_against_model() {
    try {
      const marian::ModelFolder folder = marian::read_model_folder(config_.model);
      for (const std::filesystem::path& file : folder.files) problems_.reads(file);
      check_selections(folder.config);
      check_heads(folder.config);
      check_decoding(folder);
      if (config_.runners_up >= static_cast<std::int32_t>(folder.config.target_vocabulary)) {
        problems_.add("runners_up",
                      fmt::format("found {}, allowed: fewer than the model's {} tokens",
                                  config_.runners_up, folder.config.target_vocabulary));
      }
      check_lengths(marian::Tokenizer(folder, config_.tokenizer_options()),
                    folder.config.max_positions);
    } catch (const marian::ModelError& error) {
      problems_.add("model", error.what());
    }
  }

  void check_selections(const marian::ModelConfig& model) {
    const KeepConfig& keep = config_.keep;
    check_selection("encoder_layers", keep.encoder_layers, model.encoder_layers);
    check_selection("encoder_heads", keep.encoder_heads, model.encoder_heads);
    check_selection("decoder_layers", keep.decoder_layers, model.decoder_layers);
    check_selection("decoder_heads", keep.decoder_heads, model.decoder_heads);
  }

  void check_selection(const char* name, const Selection& selection, std::size_t most) {
    if (!selection) return;
    for (std::size_t i = 0; i < selection->size(); ++i) {
      const std::int32_t number = (*selection)[i];
      const std::string field = fmt::format("keep.{}[{}]", name, i);
      if (number < 1 || static_cast<std::size_t>(number) > most) {
        problems_.add(field,
                      fmt::format("found {}, allowed: 1 to {}, what the model has", number, most));
      } else if (i > 0 && number <= (*selection)[i - 1]) {
        problems_.add(field, fmt::format("found {} after {}, allowed: in order, each once", number,
                                         (*selection)[i - 1]));
      }
    }
  }

  void check_heads(const marian::ModelConfig& model) {
    std::set<marian::HeadId> gated;
    for (std::size_t i = 0; i < config_.gates.size(); ++i) {
      const marian::HeadId head = config_.gates[i].id();
      const std::string field = fmt::format("gates[{}]", i);
      if (check_head(field, head, model) && !gated.insert(head).second) {
        problems_.add(
            field, fmt::format("found {} a second time, allowed: every head once", label_of(head)));
      }
    }
    for (std::size_t i = 0; i < config_.supervised_heads.size(); ++i)
      check_head(fmt::format("supervised_heads[{}]", i),
                 *supervised_head(config_.supervised_heads[i]), model);
  }

  bool check_head(const std::string& field, const marian::HeadId& head,
                  const marian::ModelConfig& model) {
    const std::size_t layers = layers_of(head.kind, model);
    const std::size_t heads = heads_of(head.kind, model);
    if (head.layer < layers && head.head < heads) return true;
    problems_.add(field, fmt::format("found {}, allowed: L1H1 to {}, what the model has",
                                     label_of(head), label_of(layers - 1, heads - 1)));
    return false;
  }

  void check_decoding(const marian::ModelFolder& folder) {
    const DecodingConfig& given = config_.decoding;
    const marian::Decoding decoding = given.on_top_of(folder.decoding);
    if (given.strategy == "beam" && decoding.beam_size == 1) {
      problems_.add("decoding.beam_size",
                    fmt::format("found 1{} with strategy beam, allowed: at least 2",
                                given.beam_size ? "" : ", as the model has it,"));
    }
    if (decoding.native) {
      check_native(given, decoding);
      return;
    }
    // The last token is written, but not read.
    const std::size_t most = folder.config.max_positions + 1;
    if (given.max_length && decoding.max_length > most) {
      problems_.add("decoding.max_length",
                    fmt::format("found {}, allowed: at most {}, since the model has {} positions",
                                decoding.max_length, most, folder.config.max_positions));
    }
    if (decoding.min_length >= decoding.max_length) {
      problems_.add("decoding.min_length",
                    fmt::format("found {}, allowed: less than max_length, {}", decoding.min_length,
                                decoding.max_length));
    }
  }

  // Native Marian's search has neither.
  void check_native(const DecodingConfig& given, const marian::Decoding& decoding) {
    const auto refuse = [this](const char* name, const auto& value, const std::string& reason) {
      if (!value) return;
      problems_.add(fmt::format("decoding.{}", name),
                    fmt::format("found {}, allowed: auto, since {}", *value, reason));
    };
    refuse("max_length", given.max_length,
           fmt::format("native Marian writes at most {} times the tokens of the source",
                       decoding.max_length_factor));
    refuse("early_stopping", given.early_stopping,
           "native Marian goes on until all hypotheses have ended");
  }

  void check_lengths(const marian::Tokenizer& tokenizer, std::size_t most) {
    for (const PlacedText& text : texts_) {
      const std::size_t tokens = (text.side == Side::source ? tokenizer.encode_source(text.text)
                                                            : tokenizer.encode_target(text.text))
                                     .ids.size();
      if (tokens < 2 && text.side == Side::source) {
        problems_.add(text.field, fmt::format("found no text{}, allowed: a sentence", text.place));
      } else if (tokens > most) {
        problems_.add(text.field, fmt::format("found {} tokens{}, allowed: at most {}, the "
                                              "positions that the model has",
                                              tokens, text.place, most));
      }
    }
  }

  const Config& config_;
  Problems& problems_;
  std::size_t before_ = problems_.problems().size();
  std::vector<PlacedText> texts_;
};

}  // namespace

void Config::check(Problems& problems) const { Checker(*this, problems).check(); }

}  // namespace refran::opus_mt_probe
