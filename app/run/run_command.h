// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run/run_options.h"

namespace CLI {
class App;
}

namespace podsim::app::run {

/// Declares `podsim run`, which sets `code` when it runs; `words` is the command line, the program's name first.
void add_run(CLI::App& program, const std::vector<std::string>& words, int& code);
/// Declares `podsim train`.
void add_train(CLI::App& program, const std::vector<std::string>& words, int& code);

/// Declares WORKLOAD, which the text describes, and the flags of a step that is simulated at detail replay: all of
/// `podsim run` but those for levels of detail, loops and outputs.
void add_step_options(CLI::App& command, RunOptions& options, const char* workload);

/// Declares WORKLOAD and the flags of the steps and the hosts of a job, those that `podsim train` has too.
void add_job_options(CLI::App& command, RunOptions& options, const char* workload);

/// The options of a `podsim run` of a step from `words`, the program's name first. std::nullopt for other commands, a
/// topology, a comparison, a request for help, and invalid words.
std::optional<RunOptions> step_options(const std::vector<std::string>& words);

/// Likewise of a `podsim run` of a step or a `podsim train`.
std::optional<RunOptions> job_options(const std::vector<std::string>& words);

/// The command line for a run's records. It lacks -o, --json and --op-cache, so that equal runs have equal records.
std::string recorded_command_line(const std::vector<std::string>& words);

}  // namespace podsim::app::run
