// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/command_line/completion.h"
#include "app/command_line/usage_error.h"
#include "app/output/printed_errors.h"
#include "base/diagnostic.h"
#include "base/host/exit_code.h"
#include "base/host/standard_output.h"
#include "base/version.h"

namespace podsim::app::command_line {
namespace {

/// Turns `podsim help run` into `podsim run --help`.
std::vector<std::string> with_help_as_flag(std::vector<std::string> words) {
  if (words.size() < 2 || words[1] != "help") return words;
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

int parse_and_run(const std::vector<std::string>& words, const ProgramText& text, const AddCommands& add) {
  CLI::App program{text.description};
  program.name(text.name);
  program.set_version_flag("--version", base::program_version, "Print the version and exit");
  program.require_subcommand(1);
  program.footer(text.footer);
  program.get_formatter()->column_width(25);
  program.get_formatter()->label("SUBCOMMAND", "COMMAND");
  program.get_formatter()->label("OPTIONS", "FLAGS");
  int code = base::host::done;
  add(program, words, code);
  if (words.size() > 1 && words[1] == "__complete") {  // called by the scripts of `podsim completion`
    base::host::print_result(completion_lines(complete(program, {words.begin() + 2, words.end()})));
    return base::host::done;
  }
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (const CLI::CallForHelp&) {
    base::host::print_result(program.help());  // of the innermost command in `words`
  } catch (const CLI::CallForVersion& version) {
    base::host::print_result(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    throw base::InputError(usage_diagnostic(program, error, words));
  }
  return code;
}

}  // namespace

int run_command_line(int argc, char** argv, const ProgramText& text, const AddCommands& add) {
  return output::with_errors_printed([&] {
    std::vector<std::string> words(argv, argv + argc);
    words.front() = text.name;
    return parse_and_run(with_help_as_flag(std::move(words)), text, add);
  });
}

}  // namespace podsim::app::command_line
