// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/completion.h"
#include "app/failed_check.h"
#include "app/standard_output.h"
#include "app/usage_error.h"
#include "app/version.h"
#include "base/diagnostic.h"

namespace podsim::app {
namespace {

constexpr const char* examples = R"(Examples:
  podsim run resnet50 --slice 4x4          a training step on 16 chips
  podsim run resnet50 --slice 32x32 -o r   the same on a full pod, with every op and a timeline in r/
  podsim kernel matmul --m 1024            a matmul on one core, bundle by bundle
  podsim describe                          the machine, value by value

Exit codes: 0 done, 1 the simulation failed, 2 bad input, 3 some points of a sweep failed (the others are kept),
130 interrupted (partial results are kept).)";

bool color_on_stderr() {
  const char* no_color = std::getenv("NO_COLOR");  // https://no-color.org: any value but the empty one
  return isatty(STDERR_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

void print(const base::Diagnostic& diagnostic) {
  std::fputs(base::format(diagnostic, color_on_stderr()).c_str(), stderr);
}

void print_error(const std::string& message) { print({base::Diagnostic::Severity::error, message, {}, ""}); }

/// `podsim help run` is `podsim run --help`.
std::vector<std::string> with_help_as_flag(std::vector<std::string> words) {
  if (words.size() < 2 || words[1] != "help") return words;
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

int parse_and_run(const std::vector<std::string>& words, const ProgramText& text, const AddCommands& add) {
  CLI::App program{text.description};
  program.name(text.name);
  program.set_version_flag("--version", program_version, "Print the version and exit");
  program.require_subcommand(1);
  program.footer(text.footer);
  program.get_formatter()->column_width(25);
  program.get_formatter()->label("SUBCOMMAND", "COMMAND");
  program.get_formatter()->label("OPTIONS", "FLAGS");
  int code = done;
  add(program, words, code);
  if (words.size() > 1 && words[1] == "__complete") {  // asked by the scripts of `podsim completion`
    print_result(completion_lines(complete(program, {words.begin() + 2, words.end()})));
    return done;
  }
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (const CLI::CallForHelp&) {
    print_result(program.help());  // of the innermost command that was named
  } catch (const CLI::CallForVersion& version) {
    print_result(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    throw base::InputError(usage_diagnostic(program, error, words));
  }
  return code;
}

}  // namespace

int with_errors_printed(const std::function<int()>& command) {
  try {
    return command();
  } catch (const base::InputError& error) {
    for (const base::Diagnostic& diagnostic : error.diagnostics()) print(diagnostic);
    return bad_input;
  } catch (const FailedCheck& check) {
    for (const base::Diagnostic& diagnostic : check.diagnostics()) print(diagnostic);
    return failed;
  } catch (const base::SimulationError& error) {
    print_error(error.what());
    return failed;
  } catch (const std::bad_alloc&) {
    print_error("there is not enough memory on this host, or not as much is allowed");
    return failed;
  } catch (const std::exception& error) {
    print_error(std::string("internal error: ") + error.what());
    return failed;
  }
}

int run_command_line(int argc, char** argv) {
  return run_command_line(
      argc, argv,
      {"podsim", "podsim: a cycle-approximate SystemC/TLM-2.0 model of the TPU v3, from one core to 4096 chips",
       examples},
      add_commands);
}

int run_command_line(int argc, char** argv, const ProgramText& text, const AddCommands& add) {
  return with_errors_printed([&] {
    std::vector<std::string> words(argv, argv + argc);
    words.front() = text.name;
    return parse_and_run(with_help_as_flag(std::move(words)), text, add);
  });
}

}  // namespace podsim::app
