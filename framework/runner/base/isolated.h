// Work that may crash the process, done in a child: HDF5 trusts parts of a file that it has no
// checksum of, and a damaged one can take it down.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace refran::runner {

// The text that `work` returns; none where the child did not live to say it. The process must not
// need other threads for the work.
std::optional<std::string> run_isolated(const std::function<std::string()>& work);

}  // namespace refran::runner
