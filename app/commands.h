// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace podsim::app {

/// Every command declares its flags and sets `code` when it runs; one file per command.
void add_commands(CLI::App& program, int& code);

void add_run(CLI::App& program, int& code);
void add_describe(CLI::App& program, int& code);

}  // namespace podsim::app
