// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "app/arguments.h"
#include "app/commands.h"
#include "app/machine_options.h"
#include "app/standard_output.h"
#include "base/atomic_file.h"
#include "base/progress.h"
#include "sw/report/calibration_report.h"

namespace podsim::app {
namespace {

struct CalibrateOptions {
  MachineOptions machine;
  bool json = false;
  std::string write;  ///< file; empty: none
};

std::vector<sw::LevelComparison> compare(const hw::Machine& machine) {
  base::Progress progress("comparing");
  const std::vector<sw::KernelChoice> kernels = sw::agreement_grid();
  return sw::compare_levels(machine, kernels,
                            [&](std::size_t done) { progress.update(double(done) / double(kernels.size())); });
}

void calibrate_core(const CalibrateOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const base::Config config = options.machine.load();
  sw::CalibrationReport report;
  report.machine = hw::read_machine(config);
  report.constants = sw::derive_core_constants(report.machine);
  for (const sw::DerivedConstant& constant : report.constants) report.present.push_back(config.cycles(constant.key));
  if (!options.write.empty()) {
    locate_errors("--write", options.write,
                  [&] { base::write_file(options.write, sw::constants_toml(report.machine.name, report.constants)); });
  }
  report.comparisons = compare(report.machine);
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print_result(options.json ? sw::calibration_json(report) : sw::calibration_text(report));
}

}  // namespace

void add_calibrate(CLI::App& program) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* calibrate =
      program.add_subcommand("calibrate", "Derive what a coarser level assumes from a finer one, and compare the two")
          ->group("Commands");
  calibrate->require_subcommand(1);
  calibrate->footer("Example:\n  podsim calibrate core");
  CLI::App* core = calibrate->add_subcommand("core", "The tile level from bundles, and against them")->group("Parts");
  options->machine.add_machine_option(*core);
  options->machine.add_set_option(*core);
  core->add_flag("--json", options->json, "One JSON object on stdout");
  core->add_option_function<std::string>(
          "--write", [options](const std::string& text) { options->write = parse_path("--write", text); },
          "The derived constants as a table of the machine")
      ->option_text("FILE");
  core->footer(R"(Examples:
  podsim calibrate core
  podsim calibrate core --write workloads/machines/tpu-v3.core.toml)");
  core->callback([options] { calibrate_core(*options); });
}

}  // namespace podsim::app
