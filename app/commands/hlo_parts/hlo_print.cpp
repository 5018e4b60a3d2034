// SPDX-License-Identifier: Apache-2.0
#include "app/commands/hlo_parts/hlo_print.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/options/compiler_option.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/run/compiled_step.h"
#include "app/run/files/module_file.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/output_file.h"
#include "base/host/output_folder.h"
#include "base/host/standard_output.h"
#include "base/host/write_all.h"
#include "base/text/text_table.h"
#include "hlo/hlo_names.h"
#include "hlo/text/printer.h"
#include "hlo/text/reader.h"
#include "sw/driver/passes.h"
#include "workloads/workload_text.h"

namespace podsim::app::commands::hlo_parts {
namespace {

struct HloPrintOptions {
  std::vector<std::string> programs;
  workloads::machines::MachineChoice settings;
  std::string slice;
  std::string after;  ///< name of a pass; empty: the program as it is given
  std::string dump;   ///< folder for what every pass leaves; empty: none
  bool strict = false;
  bool inference = false, decode = false;
  sw::driver::CompilerYear compiler;
};

/// All modules of a file, as they were read.
std::string text_of_file(const HloPrintOptions& options, const std::string& file,
                         const workloads::ModelSettings& model) {
  const auto unknown = options.strict ? hlo::text::UnknownOpcodes::reject : hlo::text::UnknownOpcodes::warn;
  hlo::text::ReadResult result = hlo::text::read(file, run::files::module_text("FILE", file, model), unknown);
  if (!result.ok()) throw base::InputError(std::move(result.diagnostics));
  for (const base::Diagnostic& diagnostic : result.diagnostics) {
    std::fputs(base::format(diagnostic).c_str(), stderr);
  }
  return hlo::text::print(result.modules);
}

run::RunOptions run_options(const HloPrintOptions& options, const std::string& program,
                            const workloads::ModelSettings& model) {
  run::RunOptions run;
  run.workload = program;
  run.slice = options.slice;
  run.build.model = model;
  run.build.decode = options.decode;
  run.build.inference = options.inference || options.decode;
  run.compiler = options.compiler;
  run.machine = options.settings;
  return run;
}

std::string text_of(const HloPrintOptions& options, const std::string& program, const workloads::ModelSettings& model) {
  const bool is_workload = run::files::names_workload(program);
  if (!is_workload && options.after.empty()) return text_of_file(options, program, model);
  const run::RunOptions run = run_options(options, program, model);
  const sw::TargetMachine machine = sw::read_target(options.settings.load());
  run::StepCompiler compiler(run, machine);
  if (options.after.empty()) {
    const std::int64_t cores = compiler.slice().nodes() * machine.cores_per_chip;
    return workloads::text_of_workload(*compiler.take_workload(), cores);
  }
  return hlo::to_string(hlo::with_hlo_names(compiler.module_after(options.after)));
}

std::size_t count_instructions(const hlo::Module& module) {
  std::size_t count = 0;
  for (const hlo::Computation& computation : module.computations) count += computation.instructions.size();
  return count;
}

/// Writes the module behind every pass of a compilation as NN-PASS.hlo, but for those that change nothing.
void dump_passes(const HloPrintOptions& options, const workloads::ModelSettings& model) {
  if (options.programs.size() > 1) throw base::InputError("--dump-passes is for one program");
  const run::RunOptions run = run_options(options, options.programs.front(), model);
  const sw::TargetMachine machine = sw::read_target(options.settings.load());
  run::StepCompiler compiler(run, machine);
  const base::host::OutputFolder folder(options.dump);
  base::text::TextTable table(
      {base::text::TextTable::Align::left, base::text::TextTable::Align::right, base::text::TextTable::Align::left});
  table.row({"pass", "instructions", "file"});
  int number = 0;
  std::string before;
  compiler.on_pass([&](std::string_view pass, const hlo::Module& module) {
    std::string text = hlo::to_string(hlo::with_hlo_names(module));
    std::string file = fmt::format("{:02}-{}.hlo", ++number, pass);
    if (text == before) {
      file = "unchanged";
    } else {
      base::host::write_file(folder.path() / file, text);
    }
    table.row({std::string(pass), std::to_string(count_instructions(module)), file});
    before = std::move(text);
  });
  base::host::write_all(
      {[&] { static_cast<void>(compiler.compile()); }, [&] { base::host::print_result(table.text()); }});
}

void print_programs(HloPrintOptions& options) {
  const workloads::ModelSettings model = options.settings.take_model_settings();
  if (!options.dump.empty()) return dump_passes(options, model);
  std::string text;
  for (const std::string& program : options.programs) {
    if (!text.empty()) text += "\n// -----\n\n";
    text += text_of(options, program, model);
  }
  base::host::print_source(text);
}

}  // namespace

void add_hlo_print(CLI::App& hlo) {
  auto options = std::make_shared<HloPrintOptions>();
  CLI::App* print = hlo.add_subcommand("print",
                                       "What was read as text in one form, stable under reading again;\nthe program "
                                       "of a built-in workload or a page; or what a pass of\nthe compiler leaves")
                        ->group("Parts");
  print
      ->add_option("FILE", options->programs,
                   "HLO text, of one module or several; StableHLO (MLIR text);\na function of a Python file, a page of "
                   "layers or a library that\nwrites one; or a built-in workload")
      ->option_text(" ")
      ->required();
  print
      ->add_option_function<std::string>(
          "--after",
          [options](const std::string& text) {
            std::vector<std::string> names;
            for (const std::string_view name : sw::driver::pass_names()) names.emplace_back(name);
            options->after = names[base::host::parse_choice("--after", text, "a pass", names)];
          },
          "The program after this pass, as a run of it is compiled [as\nit is given]")
      ->option_text("PASS");
  print
      ->add_option_function<std::string>(
          "--dump-passes",
          [options](const std::string& text) { options->dump = base::host::parse_path("--dump-passes", text); },
          "Compile the program as a run does, and write what each pass\nleaves as DIR/NN-PASS.hlo, but for passes that "
          "change nothing")
      ->option_text("DIR")
      ->excludes("--after");
  print->add_option("--slice", options->slice, "For which slice a workload or pass is [as for run]")
      ->option_text("AxB");
  options::add_machine_option(*print, options->settings);
  options::add_set_option(*print, options->settings);
  options::add_compiler_option(*print, [options](const sw::driver::CompilerYear& of) { options->compiler = of; });
  options::add_limit_option(*print);
  CLI::Option* inference =
      print->add_flag("--inference", options->inference, "The program without its backward part, as for run");
  print->add_flag("--decode", options->decode, "A decoder's step with a cache of keys and values, as for run")
      ->excludes(inference);
  print->add_flag("--strict", options->strict, "An unknown opcode is an error, not a warning");
  std::string passes = "Passes:";
  for (const std::string_view name : sw::driver::pass_names()) {
    const std::size_t line = passes.rfind('\n') + 1;
    passes += fmt::format("{}{}", passes.size() - line + name.size() > 70 ? "\n  " : " ", name);
  }
  print->footer(passes +
                "\n\nExamples:\n  podsim hlo print step.hlo\n  podsim hlo print resnet50 --slice 4x4 > resnet50.hlo\n"
                "  podsim hlo print net.toml --after fuse");
  print->callback([options] { print_programs(*options); });
}

}  // namespace podsim::app::commands::hlo_parts
