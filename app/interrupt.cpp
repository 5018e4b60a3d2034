// SPDX-License-Identifier: Apache-2.0
#include "app/interrupt.h"

#include <csignal>

namespace podsim::app {
namespace {

// A signal handler can reach nothing but statics.
std::atomic<bool> interrupted_flag{false};

void on_interrupt(int) {
  interrupted_flag.store(true);
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& watch_for_interrupt() {
  std::signal(SIGINT, on_interrupt);
  return interrupted_flag;
}

}  // namespace podsim::app
