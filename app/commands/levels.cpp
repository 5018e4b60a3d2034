// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/options/file_option.h"
#include "app/options/keys_without_effect.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/output/failed_check.h"
#include "app/output/partial_result.h"
#include "app/run/compiled_step.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/progress.h"
#include "hw/isa/fixed_sizes.h"
#include "report/levels/levels_report.h"

namespace podsim::app::commands {
namespace {

struct LevelsOptions {
  workloads::machines::MachineChoice machine;
  std::string program, slice, csv;
  std::int64_t verified_elements = 100'000;
  bool json = false;
};

run::CompiledStep compiled_step_of(const LevelsOptions& options, const sw::TargetMachine& machine) {
  run::RunOptions run;
  run.workload = options.program;
  run.slice = options.slice;
  run.machine = options.machine;
  return run::StepCompiler(run, machine).compile();
}

void run_levels(const LevelsOptions& options, const base::Config& config) {
  const auto begin = base::host::HostClock::now();
  const sw::TargetMachine machine = sw::read_target(config);
  hw::isa::require_fixed_sizes(machine);
  using enum base::parameters::KeyLevel;
  options::warn_of_keys_without_effect(config, {kernels, ops});
  const run::CompiledStep compiled = compiled_step_of(options, machine);
  const std::vector<validation::kernels::StepOp> distinct = validation::kernels::ops_of(compiled.step);
  report::levels::LevelsReport report{.program = options.program, .machine = machine.name};
  base::Progress progress("generating");
  const auto work = [&] {
    for (const validation::kernels::StepOp& op : distinct) {
      base::host::end_if_interrupted();
      report.ops.push_back(validation::kernels::levels_of(compiled.step, op, machine, options.verified_elements));
      progress.update(double(report.ops.size()) / double(distinct.size()));
    }
  };
  const auto result = [&] {
    report.wall_s = base::host::seconds_since(begin);
    return options.json ? report::levels::levels_json(report) : report::levels::levels_text(report);
  };
  output::publish(options.json, work, result, {[&] {
                    if (!options.csv.empty()) base::host::write_file(options.csv, report::levels::levels_csv(report));
                  }});
  if (report.differing() > 0) {
    throw output::FailedCheck({{base::Diagnostic::Severity::error,
                                std::to_string(report.differing()) + " ops differ from the reference",
                                {},
                                ""}});
  }
}

}  // namespace

void add_levels(CLI::App& program) {
  auto options = std::make_shared<LevelsOptions>();
  CLI::App* levels =
      program.add_subcommand("levels", "Hold the ops of a step, one by one, to code that is generated for them")
          ->group("Commands");
  levels
      ->add_option("WORKLOAD", options->program,
                   "A built-in workload, or a file of HLO or StableHLO text,\nas podsim run takes it")
      ->option_text(" ")
      ->required();
  levels->add_option("--slice", options->slice, "For which slice the step is [as for run]")->option_text("AxB");
  options::add_machine_option(*levels, options->machine);
  options::add_set_option(*levels, options->machine);
  levels
      ->add_option_function<std::string>(
          "--verify-up-to",
          [options](const std::string& text) {
            options->verified_elements =
                base::host::parse_whole_number("--verify-up-to", text, 0, std::numeric_limits<std::int64_t>::max());
          },
          "Compare the code of ops of up to N elements with the\nreference evaluator; the others run without data "
          "[100000]")
      ->option_text("N");
  options::add_limit_option(*levels);
  levels->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*levels, "--csv", options->csv, "Every op with its cycles, operations by slot and waits");
  levels->footer("Examples:\n  podsim levels resnet50\n  podsim levels step.hlo --verify-up-to 10000000");
  levels->callback([options] {
    base::host::throw_on_interrupt();
    const base::Config config = options->machine.load();
    hw::isa::at_place_of_value(config, [&] { run_levels(*options, config); });
  });
}

}  // namespace podsim::app::commands
