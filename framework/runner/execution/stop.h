// The wish to stop, set by signals (Ctrl-C, a scheduler's) and read wherever work can end cleanly.
#pragma once

namespace refran::runner {

// From here on SIGINT, SIGTERM, SIGUSR1 and SIGUSR2 set the flag instead of ending the process; a
// second SIGINT ends it.
void listen_for_stop_signals();
bool stop_requested();
void request_stop();

}  // namespace refran::runner
