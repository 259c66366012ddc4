#include "stop.h"

#include <csignal>
#include <initializer_list>

namespace refran::runner {
namespace {

volatile std::sig_atomic_t stop_flag = 0;

void on_signal(int signal) {
  if (stop_flag != 0 && signal == SIGINT) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  stop_flag = 1;
}

}  // namespace

void listen_for_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  // One at a time: a Ctrl-C for the whole group of processes, and behind it the parent's SIGTERM,
  // is one wish.
  sigfillset(&action.sa_mask);
  // No SA_RESTART: a poll that waits returns, so that the wish is seen at once.
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool stop_requested() { return stop_flag != 0; }
void request_stop() { stop_flag = 1; }

}  // namespace refran::runner
