// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

namespace CLI {
class App;
}

namespace podsim::app::options {

/// Adds --limit TIME, which interrupts the command after that time on this host (base/host/interrupt.h).
void add_limit_option(CLI::App& command);

/// Adds --limit for a command that also accepts a limit in simulated cycles, which is stored in `cycles`.
void add_limit_option(CLI::App& command, base::Cycles& cycles);

}  // namespace podsim::app::options
