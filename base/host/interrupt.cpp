// SPDX-License-Identifier: Apache-2.0
#include "base/host/interrupt.h"

#include <csignal>

namespace podsim::base::host {
namespace {

// A signal handler can only reach statics.
std::atomic<bool> interrupted_flag{false};

void on_interrupt(int signal) {
  interrupted_flag.store(true);
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& watch_for_interrupt() {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, on_interrupt);
  return interrupted_flag;
}

}  // namespace podsim::base::host
