// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <CLI/CLI.hpp>

#include "app/command_line/manual.h"
#include "app/commands/commands.h"
#include "base/host/standard_output.h"

namespace podsim::app::commands {

void add_manual(CLI::App& program) {
  CLI::App* command = program.add_subcommand("man", "Print the manual page podsim(1)")->group("Commands");
  command->footer("Examples:\n  podsim man | man -l -\n  podsim man > ~/.local/share/man/man1/podsim.1");
  command->callback([&program] { base::host::print_result(command_line::manual_page(program)); });
}

}  // namespace podsim::app::commands
