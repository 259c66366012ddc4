// The two layouts of a model folder.
#pragma once

#include <filesystem>
#include <vector>

#include "../model_config.h"

namespace refran::marian {

ModelFolder read_hugging_face_folder(const std::filesystem::path& path);
ModelFolder read_native_folder(const std::filesystem::path& path);

}  // namespace refran::marian
