// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "app/commands.h"
#include "base/diagnostic.h"

namespace podsim::app {
namespace {

bool color_on_stderr() { return isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

void print(const base::Diagnostic& diagnostic) {
  std::fputs(base::format(diagnostic, color_on_stderr()).c_str(), stderr);
}

/// CLI11's own message, with a suggestion for a mistyped flag or command.
int report_usage_error(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  std::vector<std::string> names;
  const CLI::App* command = &program;
  for (const CLI::App* used : program.get_subcommands()) command = used;
  for (const CLI::App* sub : command->get_subcommands({})) names.push_back(sub->get_name());
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  std::string hint;
  for (const std::string& word : command->remaining()) {
    hint = base::did_you_mean(word.substr(0, word.find('=')), names);
    if (!hint.empty()) break;
  }
  if (hint.empty())
    hint = "see '" + std::string(command == &program ? "podsim" : "podsim " + command->get_name()) + " --help'";
  print({base::Diagnostic::Severity::error, error.what(), {}, hint});
  return bad_input;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App program{"podsim: a cycle-approximate SystemC/TLM-2.0 model of the TPU v3, from one core to 4096 chips"};
  program.name("podsim");
  program.set_version_flag("--version", "podsim 0.1.0");
  program.require_subcommand(1);
  program.failure_message(CLI::FailureMessage::simple);
  int code = done;
  add_commands(program, code);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage_error(program, error);
  } catch (const base::InputError& error) {
    for (const base::Diagnostic& diagnostic : error.diagnostics()) print(diagnostic);
    return bad_input;
  } catch (const base::SimulationError& error) {
    print({base::Diagnostic::Severity::error, error.what(), {}, ""});
    return failed;
  } catch (const std::exception& error) {
    print({base::Diagnostic::Severity::error, std::string("internal error: ") + error.what(), {}, ""});
    return failed;
  }
  return code;
}

}  // namespace podsim::app
