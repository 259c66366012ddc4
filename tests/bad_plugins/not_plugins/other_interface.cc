// A plugin for a plugin interface of the future.
#include <string>

#include <refran/detail/abi.h>

namespace {

constexpr refran::detail::Handshake of_the_future() {
  refran::detail::Handshake handshake = refran::detail::kOwnHandshake;
  handshake.interface = 999;
  return handshake;
}

}  // namespace

REFRAN_EXPORT(refran::detail::Handshake, refran_handshake, of_the_future())
