// Tells the layouts of a model folder apart.
#include <filesystem>

#include <fmt/format.h>

#include "../checkpoint.h"
#include "../model_config.h"
#include "folders.h"

namespace refran::marian {

ModelFolder read_model_folder(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error))
    throw ModelError(fmt::format("{}: found no such folder", path.string()));
  if (std::filesystem::exists(path / "config.json", error)) return read_hugging_face_folder(path);
  if (std::filesystem::exists(path / "decoder.yml", error)) return read_native_folder(path);
  throw ModelError(
      fmt::format("{}: found neither config.json, as in a folder from Hugging Face, nor "
                  "decoder.yml, as in a package of native Marian",
                  path.string()));
}

}  // namespace refran::marian
