// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <sstream>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/kernel_of_step.h"
#include "app/commands/kernel_run.h"
#include "app/options/file_option.h"
#include "app/options/kernel_options.h"
#include "app/options/limit_option.h"
#include "base/host/arguments.h"
#include "base/host/exit_code.h"
#include "sw/codegen/kernel_families.h"

namespace podsim::app::commands {
namespace {

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const sw::codegen::families::KernelFamily& family : sw::codegen::kernel_families()) names.push_back(family.name);
  return names;
}

void add_run_flags(CLI::App& command, options::KernelOptions& options) {
  options::add_machine_option(command, options.machine);
  options::add_set_option(command, options.machine);
  command.add_flag("--timing-only", options.timing_only, "Cycles without vector data: faster, the same figures")
      ->option_text(" ");
  command
      .add_option_function<std::string>(
          "--mxu",
          [&options](const std::string& text) {
            const std::size_t chosen =
                base::host::parse_choice("--mxu", text, "a view of the matrix units", {"event", "rows"});
            options.matrix_view =
                std::array{hw::bundle::matrix::MatrixUnitView::event, hw::bundle::matrix::MatrixUnitView::rows}[chosen];
          },
          "event: whole registers; rows: every row of the array in\nevery cycle, the same figures, slower [event]")
      ->option_text("event|rows");
  options::add_limit_option(command, options.max_cycles);
}

void add_kernel_output_flags(CLI::App& command, options::KernelOptions& options) {
  command.add_flag("--json", options.json, "One JSON object on stdout");
  command
      .add_flag(
          "--listing", options.listing,
          "Every bundle with the cycle it issued in, how long it\nwaited and for what; on stdout, or --listing=FILE")
      ->option_text("[=FILE]");
  auto* vcd = options::add_file_option(command, "--vcd", options.vcd,
                                       "Waveform of the run, with a GTKWave save file (.gtkw)\nbeside it");
  command
      .add_option("--trace", options.trace,
                  "Signals in the waveform, such as 'core.mxu0.*' [all]; may\nbe repeated; needs --vcd")
      ->option_text("PATTERN")
      ->needs(vcd)
      ->allow_extra_args(false);
}

/// `text` with line breaks between words, so that it fits to the right of the column of flags.
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

/// Declares the flag of one parameter of a family.
void add_parameter(CLI::App& command, const sw::codegen::families::KernelParameter& parameter,
                   options::KernelOptions& options) {
  const std::string flag = "--" + parameter.name;
  const auto set = [&options, &parameter, flag](const std::string& text) {
    std::string& value = options.arguments.values[parameter.name];
    if (parameter.list) {
      value.clear();
      for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string number = text.substr(begin, end - begin);
        if (!value.empty()) value += ',';
        value += std::to_string(base::host::parse_whole_number(flag, number, parameter.least, parameter.most));
        begin = end + 1;
      }
    } else if (parameter.choices.empty()) {
      value = std::to_string(base::host::parse_whole_number(flag, text, parameter.least, parameter.most));
    } else {
      value = parameter.choices[base::host::parse_choice(flag, text, "a choice of " + flag, parameter.choices)];
    }
  };
  command
      .add_option_function<std::string>(flag, set,
                                        wrapped(fmt::format("{} [{}]", parameter.description, parameter.preset)))
      ->option_text(parameter.list              ? "N,..."
                    : parameter.choices.empty() ? "N"
                                                : fmt::format("{}", fmt::join(parameter.choices, "|")));
}

void add_check_flags(CLI::App& command, options::KernelOptions& options) {
  auto* verify = command.add_flag("--verify", options.verify,
                                  "Compare with the reference evaluator, on random numbers\nand again with NaN and "
                                  "infinities among them");
  verify->excludes(command.get_option("--timing-only"))->option_text(" ");
  command
      .add_option_function<std::string>(
          "--seed",
          [&options](const std::string& text) {
            options.seed = base::host::parse_whole_number("--seed", text, 0, std::numeric_limits<std::int64_t>::max());
          },
          "Of the random inputs: three in four uniform in (-2, 2),\nthe others zeros and magnitudes from 2^-20 to 2^6 "
          "[1]")
      ->option_text("N");
  options::add_file_option(command, "--emit", options.emit, "The kernel as assembly, which `podsim kernel FILE` runs");
}

void add_family(CLI::App& kernel, const sw::codegen::families::KernelFamily& family,
                const std::shared_ptr<options::KernelOptions>& options) {
  CLI::App* command = kernel.add_subcommand(family.name, family.description)->group("Kernels");
  for (const sw::codegen::families::KernelParameter& parameter : family.parameters)
    add_parameter(*command, parameter, *options);
  add_run_flags(*command, *options);
  add_check_flags(*command, *options);
  add_kernel_output_flags(*command, *options);
  command->footer(fmt::format("Example:\n  podsim kernel {} --verify", family.name));
  command->callback([options, &family] {
    options->family = &family;
    for (const sw::codegen::families::KernelParameter& parameter : family.parameters) {
      options->arguments.values.emplace(parameter.name, parameter.preset);
    }
  });
}

[[noreturn]] void reject_kernel(const std::string& kernel, std::string message) {
  std::string hint = base::did_you_mean(kernel, family_names());
  if (hint.empty())
    hint = fmt::format("a .pasm file, a step (HLO or StableHLO text, a built-in workload), or one of: {}",
                       fmt::join(family_names(), ", "));
  base::SourceLocation place;
  if (!kernel.empty()) place = base::host::argument_location("kernel", kernel);
  throw base::InputError(
      base::Diagnostic{base::Diagnostic::Severity::error, std::move(message), std::move(place), std::move(hint)});
}

/// Value that the parser gives to a flag without a value.
constexpr const char* given = "true";

/// Without --op, a step's ops are listed: there is no kernel.
void check_list(const options::KernelOptions& options) {
  const std::array<std::pair<bool, const char*>, 6> unused{{{options.json, "--json"},
                                                            {options.verify, "--verify"},
                                                            {options.timing_only, "--timing-only"},
                                                            {!options.listing.empty(), "--listing"},
                                                            {!options.emit.empty(), "--emit"},
                                                            {!options.vcd.empty(), "--vcd"}}};
  for (const auto& [is_given, flag] : unused) {
    if (is_given)
      throw base::InputError(fmt::format("{} is for one kernel, and '{}' is a step", flag, options.file),
                             "--op NAME; without --op, its ops are listed");
  }
}

void check_op(const CLI::App& kernel, const options::KernelOptions& options) {
  if (kernel.get_option("--op")->count() == 0) return;
  if (options.op.empty()) throw base::InputError("--op: the name of an op is missing");
  if (options.family != nullptr)
    throw base::InputError(fmt::format("--op is for an op of a step, and '{}' is a kernel", options.family->name));
}

void check_choice(const options::KernelOptions& options) {
  if (options.family != nullptr && !options.file.empty()) {
    reject_kernel(options.file, fmt::format("both a file and the kernel '{}'", options.family->name));
  }
  if (options.json && options.listing == "-") {
    throw base::InputError("the listing and --json cannot both go to stdout", "--listing=FILE");
  }
  if (options.family != nullptr) return;
  if (options.file.empty()) reject_kernel("", "which kernel?");
  if (options.is_step && options.op.empty()) check_list(options);
  if (options.is_step) return;
  if (options.verify || !options.emit.empty())
    throw base::InputError("--verify and --emit are for generated kernels; an assembly program has .expect");
  std::error_code ignored;
  const bool named_as_file = std::filesystem::path(options.file).has_extension();
  if (!named_as_file && !std::filesystem::exists(options.file, ignored)) {
    reject_kernel(options.file, fmt::format("'{}' is neither a file nor a kernel", options.file));
  }
}

}  // namespace

void add_kernel(CLI::App& program, int& code) {
  auto options = std::make_shared<options::KernelOptions>();
  CLI::App* kernel =
      program.add_subcommand("kernel", "Run a program on one core, bundle by bundle: assembly, or a generated kernel")
          ->group("Commands");
  kernel->require_subcommand(0, 1);
  // A separate formatter, because all commands share the default one.
  const auto formatter =
      std::make_shared<CLI::Formatter>(dynamic_cast<const CLI::Formatter&>(*kernel->get_formatter()));
  formatter->label("SUBCOMMAND", "KERNEL");
  kernel->formatter(formatter);
  kernel
      ->add_option("FILE", options->file,
                   "A program (.pasm); a step (HLO or StableHLO text, a\nbuilt-in workload) whose op is meant; or a "
                   "kernel below,\nwith its own --help")
      ->option_text(" ");
  kernel
      ->add_option("--op", options->op,
                   "Generate the kernel of an op of the step, by its name in\nops.csv of a run [list the ops, and "
                   "which have code]")
      ->option_text("NAME");
  add_run_flags(*kernel, *options);
  add_check_flags(*kernel, *options);
  add_kernel_output_flags(*kernel, *options);
  for (const sw::codegen::families::KernelFamily& family : sw::codegen::kernel_families())
    add_family(*kernel, family, options);
  kernel->footer(R"(Examples:
  podsim kernel add.pasm --listing
  podsim kernel matmul --m 256 --n 256 --k 256 --verify
  podsim kernel softmax --vcd softmax.vcd --trace 'core.*'
  podsim kernel matmul --emit matmul.pasm
  podsim kernel step.hlo
  podsim kernel resnet50 --op fusion.14 --verify)");
  // The error for a wrong kernel's name comes before errors for flags that this command does not have.
  kernel->allow_extras();
  kernel->callback([kernel, options, &code] {
    if (options->listing == given) options->listing = "-";
    options->is_step = options->family == nullptr && (!options->op.empty() || names_step(options->file));
    check_op(*kernel, *options);
    check_choice(*options);
    if (!kernel->remaining().empty()) throw CLI::ExtrasError(kernel->remaining());
    run_kernel(*options);
    code = base::host::done;
  });
}

}  // namespace podsim::app::commands
