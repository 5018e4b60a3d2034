// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app::commands {

/// The commands of `podsim` in this folder, each in a separate file. Each function declares a command and its flags;
/// the exit code of a command without `code` is 0 or that of its exception. `run`, `validate` and `sweep` have separate
/// folders.
void add_kernel(CLI::App& program, int& code);
void add_calibrate(CLI::App& program);
void add_memory(CLI::App& program);
void add_network(CLI::App& program);
void add_collective(CLI::App& program);
void add_stream(CLI::App& program);
void add_hlo(CLI::App& program);
void add_ops(CLI::App& program);
void add_tiles(CLI::App& program);
void add_levels(CLI::App& program);
void add_trace(CLI::App& program);
void add_report(CLI::App& program);
void add_compare(CLI::App& program);
void add_describe(CLI::App& program);
void add_completion(CLI::App& program);
void add_manual(CLI::App& program);

}  // namespace podsim::app::commands
