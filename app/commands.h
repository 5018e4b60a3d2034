// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace podsim::app {

/// Every command declares its flags and sets `code` when it runs; one file per command. `words` is the command line,
/// the program's name first.
void add_commands(CLI::App& program, const std::vector<std::string>& words, int& code);

void add_run(CLI::App& program, const std::vector<std::string>& words, int& code);
void add_sweep(CLI::App& program, int& code);
void add_kernel(CLI::App& program, int& code);
void add_calibrate(CLI::App& program);
void add_memory(CLI::App& program);
void add_network(CLI::App& program);
void add_collective(CLI::App& program);
void add_hlo(CLI::App& program);
void add_ops(CLI::App& program);
void add_report(CLI::App& program);
void add_compare(CLI::App& program);
void add_describe(CLI::App& program);
void add_completion(CLI::App& program);
void add_manual(CLI::App& program);

}  // namespace podsim::app
