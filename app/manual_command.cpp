// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/manual.h"
#include "app/standard_output.h"

namespace podsim::app {

void add_manual(CLI::App& program) {
  CLI::App* command = program.add_subcommand("man", "Print the manual page podsim(1)")->group("Commands");
  command->footer("Examples:\n  podsim man | man -l -\n  podsim man > ~/.local/share/man/man1/podsim.1");
  command->callback([&program] { print_result(manual_page(program)); });
}

}  // namespace podsim::app
