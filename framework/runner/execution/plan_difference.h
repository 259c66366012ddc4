// What makes two plans different work, in words: why `--resume` refuses.
#pragma once

#include <string>
#include <vector>

#include "provenance.h"

namespace refran::runner {

// "config.steps was 10, is 20; the plugin was rebuilt": how the text of a plan (plan_text) differs
// from that of the plan with these inputs. "" where they are the same.
std::string plan_difference(const std::string& was, const std::string& is,
                            const std::vector<InputFile>& inputs);

}  // namespace refran::runner
