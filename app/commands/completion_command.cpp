// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/command_line/completion.h"
#include "app/commands/commands.h"
#include "base/host/arguments.h"
#include "base/host/standard_output.h"

namespace podsim::app::commands {

void add_completion(CLI::App& program) {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      program.add_subcommand("completion", "Print a script that completes command lines in a shell")->group("Commands");
  command
      ->add_option_function<std::string>(
          "SHELL",
          [shell](const std::string& text) {
            *shell = shells[base::host::parse_choice("SHELL", text, "a shell", shells)];
          },
          "bash, zsh or fish")
      ->type_name(options::alternatives(shells))
      ->option_text(" ")
      ->required();
  command->footer(R"(Examples:
  source <(podsim completion bash)                                  in ~/.bashrc
  source <(podsim completion zsh)                                   in ~/.zshrc, behind compinit
  podsim completion fish > ~/.config/fish/completions/podsim.fish)");
  command->callback([shell] { base::host::print_result(command_line::completion_script(*shell)); });
}

}  // namespace podsim::app::commands
