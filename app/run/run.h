// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/run/prepared_run.h"
#include "app/run/run_options.h"
#include "report/run/run_report.h"

namespace podsim::app::run {

/// Runs `podsim run` for a built-in workload or a file of HLO text and returns the exit code. `command_line` goes into
/// the run's records. Costs of ops are saved in the cache before anything is printed.
int run_workload(const RunOptions& options, std::string command_line, SharedWork shared = {});

/// Simulates such a run and returns its report. Throws base::host::Interrupted.
report::run::RunReport run_report(const RunOptions& options);

/// Simulates such a run and returns its figures, as --json prints them. Throws base::host::Interrupted.
std::string run_figures(const RunOptions& options);

}  // namespace podsim::app::run
