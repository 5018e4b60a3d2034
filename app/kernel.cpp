// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <sstream>

#include "app/arguments.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/kernel_options.h"
#include "app/kernel_run.h"

namespace podsim::app {
namespace {

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const sw::KernelFamily& family : sw::kernel_families()) names.push_back(family.name);
  return names;
}

void add_run_flags(CLI::App& command, KernelOptions& options) {
  options.machine.add_machine_option(command);
  options.machine.add_set_option(command);
  command.add_flag("--timing-only", options.timing_only, "Cycles without vector data: faster, the same figures")
      ->option_text(" ");
  command
      .add_option_function<std::string>(
          "--mxu",
          [&options](const std::string& text) {
            const std::size_t chosen = parse_choice("--mxu", text, "a view of the matrix units", {"event", "rows"});
            options.matrix_view = std::array{hw::MatrixUnitView::event, hw::MatrixUnitView::rows}[chosen];
          },
          "event: whole registers; rows: every row of the array in\nevery cycle, the same figures, slower [event]")
      ->option_text("event|rows");
}

void add_output_flags(CLI::App& command, KernelOptions& options) {
  command.add_flag("--json", options.json, "One JSON object on stdout");
  command
      .add_flag(
          "--listing", options.listing,
          "Every bundle with the cycle it issued in, how long it\nwaited and for what; on stdout, or --listing=FILE")
      ->option_text("[=FILE]");
  auto* vcd = command.add_option_function<std::string>(
      "--vcd", [&options](const std::string& text) { options.vcd = parse_path("--vcd", text); },
      "Waveform of the run, with a GTKWave save file (.gtkw)\nbeside it");
  vcd->option_text("FILE");
  command
      .add_option("--trace", options.trace,
                  "Signals in the waveform, such as 'core.mxu0.*' [all]; may\nbe repeated; needs --vcd")
      ->option_text("PATTERN")
      ->needs(vcd)
      ->allow_extra_args(false);
}

/// Broken between words into lines that fit behind the column of flags.
std::string wrapped(const std::string& text) {
  constexpr std::size_t width = 57;
  std::string lines;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word; column += word.size()) {
    if (column > 0 && column + 1 + word.size() > width) {
      lines += '\n';
      column = 0;
    } else if (column > 0) {
      lines += ' ';
      ++column;
    }
    lines += word;
  }
  return lines;
}

/// The flag of one parameter of a family.
void add_parameter(CLI::App& command, const sw::KernelParameter& parameter, KernelOptions& options) {
  const std::string flag = "--" + parameter.name;
  const auto set = [&options, &parameter, flag](const std::string& text) {
    std::string& value = options.arguments.values[parameter.name];
    if (parameter.choices.empty()) {
      value = std::to_string(parse_whole_number(flag, text, parameter.least, parameter.most));
    } else {
      value = parameter.choices[parse_choice(flag, text, "a choice of " + flag, parameter.choices)];
    }
  };
  command
      .add_option_function<std::string>(flag, set,
                                        wrapped(fmt::format("{} [{}]", parameter.description, parameter.preset)))
      ->option_text(parameter.choices.empty() ? "N" : fmt::format("{}", fmt::join(parameter.choices, "|")));
}

void add_check_flags(CLI::App& command, KernelOptions& options) {
  auto* verify = command.add_flag("--verify", options.verify,
                                  "Compare with the reference evaluator, on random numbers\nand again with NaN and "
                                  "infinities among them");
  verify->excludes(command.get_option("--timing-only"))->option_text(" ");
  command
      .add_option_function<std::string>(
          "--seed",
          [&options](const std::string& text) {
            options.seed = parse_whole_number("--seed", text, 0, std::numeric_limits<std::int64_t>::max());
          },
          "Of the random inputs: three in four uniform in (-2, 2),\nthe others zeros and magnitudes from 2^-20 to 2^6 "
          "[1]")
      ->option_text("N");
  command
      .add_option_function<std::string>(
          "--emit", [&options](const std::string& text) { options.emit = parse_path("--emit", text); },
          "The kernel as assembly, which `podsim kernel FILE` runs")
      ->option_text("FILE");
}

void add_family(CLI::App& kernel, const sw::KernelFamily& family, const std::shared_ptr<KernelOptions>& options) {
  CLI::App* command = kernel.add_subcommand(family.name, family.description)->group("Kernels");
  for (const sw::KernelParameter& parameter : family.parameters) add_parameter(*command, parameter, *options);
  add_run_flags(*command, *options);
  add_check_flags(*command, *options);
  add_output_flags(*command, *options);
  command->footer(fmt::format("Example:\n  podsim kernel {} --verify", family.name));
  command->callback([options, &family] {
    options->family = &family;
    for (const sw::KernelParameter& parameter : family.parameters) {
      options->arguments.values.emplace(parameter.name, parameter.preset);
    }
  });
}

[[noreturn]] void reject(const std::string& kernel, std::string message) {
  std::string hint = base::did_you_mean(kernel, family_names());
  if (hint.empty()) hint = fmt::format("a .pasm file, or one of: {}", fmt::join(family_names(), ", "));
  base::SourceLocation place;
  if (!kernel.empty()) place = argument_location("kernel", kernel);
  throw base::InputError(
      base::Diagnostic{base::Diagnostic::Severity::error, std::move(message), std::move(place), std::move(hint)});
}

/// What the parser calls a flag that was given without a value.
constexpr const char* given = "true";

void check(const KernelOptions& options) {
  if (options.family != nullptr && !options.file.empty()) {
    reject(options.file, fmt::format("both a file and the kernel '{}'", options.family->name));
  }
  if (options.json && options.listing == "-") {
    throw base::InputError("the listing and --json cannot both go to stdout", "--listing=FILE");
  }
  if (options.family != nullptr) return;
  if (options.file.empty()) reject("", "which kernel?");
  std::error_code ignored;
  const bool named_as_file = std::filesystem::path(options.file).has_extension();
  if (!named_as_file && !std::filesystem::exists(options.file, ignored)) {
    reject(options.file, fmt::format("'{}' is neither a file nor a kernel", options.file));
  }
}

}  // namespace

void add_kernel(CLI::App& program, int& code) {
  auto options = std::make_shared<KernelOptions>();
  CLI::App* kernel =
      program.add_subcommand("kernel", "Run a program on one core, bundle by bundle: assembly, or a generated kernel")
          ->group("Commands");
  kernel->require_subcommand(0, 1);
  // A formatter of its own: the one that it has is that of all commands.
  const auto formatter =
      std::make_shared<CLI::Formatter>(dynamic_cast<const CLI::Formatter&>(*kernel->get_formatter()));
  formatter->label("SUBCOMMAND", "KERNEL");
  kernel->formatter(formatter);
  kernel->add_option("FILE", options->file, "A program (.pasm); or a kernel below, with its own --help")
      ->option_text(" ");
  add_run_flags(*kernel, *options);
  add_output_flags(*kernel, *options);
  for (const sw::KernelFamily& family : sw::kernel_families()) add_family(*kernel, family, options);
  kernel->footer(R"(Examples:
  podsim kernel add.pasm --listing
  podsim kernel matmul --m 256 --n 256 --k 256 --verify
  podsim kernel softmax --vcd softmax.vcd --trace 'core.*'
  podsim kernel matmul --emit matmul.pasm)");
  // A wrong kernel explains the flags behind it that this command does not know.
  kernel->allow_extras();
  kernel->callback([kernel, options, &code] {
    if (options->listing == given) options->listing = "-";
    check(*options);
    if (!kernel->remaining().empty()) throw CLI::ExtrasError(kernel->remaining());
    run_kernel(*options);
    code = done;
  });
}

}  // namespace podsim::app
