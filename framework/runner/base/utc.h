// The time of day as results give it.
#pragma once

#include <string>

namespace refran::runner {

// Now, in UTC, by a format of strftime; the default gives "2026-11-30T02:45:12Z".
std::string utc_now(const char* format = "%Y-%m-%dT%H:%M:%SZ");

}  // namespace refran::runner
