// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/sweep/worker_processes.h"

namespace CLI {
class App;
}

namespace podsim::app::sweep {

/// Declares `podsim sweep`, which sets `code` when it runs. Its workers run points as command lines of `run_program`.
void add_sweep(CLI::App& program, RunProgram run_program, int& code);

}  // namespace podsim::app::sweep
