// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validate_estimates.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/options/byte_amount.h"
#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/options/slice.h"
#include "app/output/failed_check.h"
#include "app/output/partial_result.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/progress.h"
#include "sw/target_machine.h"
#include "validation/estimates/estimate_grid.h"

namespace podsim::app::validate {
namespace {

struct EstimatesCommand {
  workloads::machines::MachineChoice machine;
  std::vector<std::string> slices, sizes;
  std::string csv;
  bool json = false;
  bool spread = true;  ///< the sizes over the cases of large slices
};

void run_validate_estimates(const EstimatesCommand& command) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  const sw::TargetMachine machine = sw::read_target(command.machine.load());
  validation::estimates::GridPlan plan{.slices = {}, .sizes = {}, .spread = command.spread, .progress = {}};
  std::string warning;
  for (const std::string& text : command.slices)
    plan.slices.push_back(options::parse_any_slice(text, machine, warning));
  for (const std::string& text : command.sizes) plan.sizes.push_back(options::parse_bytes("--bytes", text).value());
  base::Progress progress("simulating");
  plan.progress = [&](double done, const std::string& last) { progress.update(done, last); };
  validation::estimates::EstimateGrid grid;
  output::publish(
      command.json, [&] { validation::estimates::add_cases(grid, machine, plan); },
      [&] {
        grid.wall_s = base::host::seconds_since(begin);
        return command.json ? validation::estimates::grid_json(grid) : validation::estimates::grid_text(grid);
      },
      {[&] {
        if (!command.csv.empty()) base::host::write_file(command.csv, validation::estimates::grid_csv(grid));
      }});
  const std::string problem = validation::estimates::problem_of(grid);
  if (!problem.empty()) throw output::FailedCheck({{base::Diagnostic::Severity::error, problem, {}, ""}});
}

}  // namespace

void add_validate_estimates(CLI::App& validate) {
  auto options = std::make_shared<EstimatesCommand>();
  CLI::App* estimates = validate.add_subcommand(
      "estimates", "Estimated times by which algorithms are chosen, each compared with a simulation");
  options->slices = {"2x2", "4x2", "4x4", "8x4", "8x8", "16x8", "16x16", "32x8", "32x32"};
  options->sizes = {"4KiB", "64KiB", "1MiB", "16MiB", "100MiB"};
  estimates->add_option("--slice", options->slices, "Chips per dimension; may be repeated [2x2 to 32x32]")
      ->option_text("AxB")
      ->allow_extra_args(false);
  estimates->add_option("--bytes", options->sizes, "Of a rank's payload; may be repeated [4KiB to 100MiB]")
      ->option_text("N")
      ->allow_extra_args(false);
  options::add_machine_option(*estimates, options->machine);
  options::add_set_option(*estimates, options->machine);
  options::add_limit_option(*estimates);
  estimates->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*estimates, "--csv", options->csv, "Every case with its times");
  estimates->footer("Examples:\n  podsim validate estimates\n  podsim validate estimates --slice 4x4 --bytes 100MiB");
  estimates->callback([options, estimates] {
    options->spread = estimates->count("--bytes") == 0;
    run_validate_estimates(*options);
  });
}

}  // namespace podsim::app::validate
