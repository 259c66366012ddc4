// Translates sentences with a Marian model and keeps every attention weight of the translation that
// was written, with heads switched off if asked, and a study of what that costs.
#include <refran/plugin.h>
#include "config.h"
#include "outputs.h"
#include "probe.h"

namespace refran::opus_mt_probe {
namespace {

template <AttentionKind kind>
bool keeps(const Config& config) {
  return config.keep.has(kind);
}
template <AttentionKind kind>
bool keeps_norms(const Config& config) {
  return config.keep.has(kind) && config.keep.norms;
}
template <AttentionKind kind>
bool keeps_values(const Config& config) {
  return config.keep.has(kind) && config.keep.values;
}
template <AttentionKind kind>
bool keeps_head_outputs(const Config& config) {
  return config.keep.has(kind) && config.keep.head_outputs;
}
bool keeps_residual(const Config& config) { return config.keep.residual; }
bool has_runners_up(const Config& config) { return config.runners_up > 0; }
bool ablates(const Config& config) { return config.ablation.is_on(); }
bool translates_ablated(const Config& config) { return config.translates_ablated(); }

void check(const Config& config, Problems& problems) { config.check(problems); }

void run(const Config& config, Run& run) { Probe(config, run).run(); }

}  // namespace
}  // namespace refran::opus_mt_probe

namespace {
using namespace refran::opus_mt_probe;
}  // namespace

REFRAN_EXPERIMENT(
    Config,
    {.question = "Where does each head of a trained translation model look, and is it needed?",
     .run = run,
     .check = check,
     .outputs = {
         {kEncoderSelf.attention, "keep.kinds has encoder_self",
          keeps<AttentionKind::encoder_self>},
         {kEncoderSelf.entropy, "keep.kinds has encoder_self", keeps<AttentionKind::encoder_self>},
         {kEncoderSelf.confidence, "keep.kinds has encoder_self",
          keeps<AttentionKind::encoder_self>},
         {kEncoderSelf.norm_attention, "keep.kinds has encoder_self and keep.norms is true",
          keeps_norms<AttentionKind::encoder_self>},
         {kEncoderSelf.value, "keep.kinds has encoder_self and keep.values is true",
          keeps_values<AttentionKind::encoder_self>},
         {kEncoderSelf.head_output, "keep.kinds has encoder_self and keep.head_outputs is true",
          keeps_head_outputs<AttentionKind::encoder_self>},
         {kDecoderSelf.attention, "keep.kinds has decoder_self",
          keeps<AttentionKind::decoder_self>},
         {kDecoderSelf.entropy, "keep.kinds has decoder_self", keeps<AttentionKind::decoder_self>},
         {kDecoderSelf.confidence, "keep.kinds has decoder_self",
          keeps<AttentionKind::decoder_self>},
         {kDecoderSelf.norm_attention, "keep.kinds has decoder_self and keep.norms is true",
          keeps_norms<AttentionKind::decoder_self>},
         {kDecoderSelf.value, "keep.kinds has decoder_self and keep.values is true",
          keeps_values<AttentionKind::decoder_self>},
         {kDecoderSelf.head_output, "keep.kinds has decoder_self and keep.head_outputs is true",
          keeps_head_outputs<AttentionKind::decoder_self>},
         {kCross.attention, "keep.kinds has cross", keeps<AttentionKind::cross>},
         {kCross.entropy, "keep.kinds has cross", keeps<AttentionKind::cross>},
         {kCross.confidence, "keep.kinds has cross", keeps<AttentionKind::cross>},
         {kCross.norm_attention, "keep.kinds has cross and keep.norms is true",
          keeps_norms<AttentionKind::cross>},
         {kCross.value, "keep.kinds has cross and keep.values is true",
          keeps_values<AttentionKind::cross>},
         {kCross.head_output, "keep.kinds has cross and keep.head_outputs is true",
          keeps_head_outputs<AttentionKind::cross>},
         kSourceId,
         kInputId,
         kPredictedId,
         kInputToken,
         kPredictedToken,
         kLogProbability,
         {kRunnerUpId, "runners_up is above 0", has_runners_up},
         {kRunnerUpToken, "runners_up is above 0", has_runners_up},
         {kRunnerUpLogProbability, "runners_up is above 0", has_runners_up},
         kSourceWord,
         kSourceWordOf,
         kTargetWord,
         kPredictedWordOf,
         kInputWordOf,
         {kEncoderResidual, "keep.residual is true", keeps_residual},
         {kDecoderResidual, "keep.residual is true", keeps_residual},
         kSourceText,
         kTranslation,
         kScore,
         kSourceLength,
         kTargetLength,
         kEnded,
         kSupervised,
         {kAblationKind, "ablation has pairs", ablates},
         {kAblationLayer, "ablation has pairs", ablates},
         {kAblationHead, "ablation has pairs", ablates},
         {kAblationLogProbability, "ablation has pairs", ablates},
         {kAblationTranslation, "ablation has pairs and ablation.translate is true",
          translates_ablated},
         {kReference, "ablation has pairs", ablates},
         {kPairSource, "ablation has pairs", ablates},
         {kReferenceLength, "ablation has pairs", ablates},
         {kAblationHalf, "ablation has pairs", ablates}}})
