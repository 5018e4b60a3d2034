// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "app/arguments.h"
#include "app/commands.h"
#include "app/machine_options.h"
#include "app/standard_output.h"
#include "base/atomic_file.h"
#include "base/progress.h"
#include "hw/memory/stream_agreement.h"
#include "hw/memory/stream_calibration.h"
#include "sw/report/core_calibration_report.h"
#include "sw/report/memory_calibration_report.h"

namespace podsim::app {
namespace {

struct CalibrateOptions {
  MachineOptions machine;
  bool json = false;
  std::string write;  ///< file; empty: none
  std::int64_t patterns = 200;
  std::int64_t seed = 1;
};

void write_constants(const CalibrateOptions& options, const std::function<std::string()>& text) {
  if (options.write.empty()) return;
  locate_errors("--write", options.write, [&] { base::write_file(options.write, text()); });
}

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
  write_constants(options, [&] { return sw::constants_toml(report.machine.name, report.constants); });
  report.comparisons = compare(report.machine);
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print_result(options.json ? sw::calibration_json(report) : sw::calibration_text(report));
}

std::vector<hw::StreamComparison> compare_streams(const CalibrateOptions& options, const hw::Machine& machine) {
  base::Progress progress("comparing");
  std::vector<hw::StreamComparison> comparisons;
  for (std::int64_t i = 0; i < options.patterns; ++i) {
    const std::uint64_t seed = std::uint64_t(options.seed) << 32 | std::uint64_t(i);
    comparisons.push_back(hw::compare_streams(machine, hw::random_requests(seed)));
    progress.update(double(i + 1) / double(options.patterns));
  }
  return comparisons;
}

void calibrate_memory(const CalibrateOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const base::Config config = options.machine.load();
  sw::MemoryCalibrationReport report;
  report.machine = hw::read_machine(config);
  write_constants(options, [&] { return hw::stream_constants_toml(config); });
  report.comparisons = compare_streams(options, report.machine);
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print_result(options.json ? sw::memory_calibration_json(report) : sw::memory_calibration_text(report));
}

void add_common_flags(CLI::App& part, const std::shared_ptr<CalibrateOptions>& options) {
  options->machine.add_machine_option(part);
  options->machine.add_set_option(part);
  part.add_flag("--json", options->json, "One JSON object on stdout");
  part.add_option_function<std::string>(
          "--write", [options](const std::string& text) { options->write = parse_path("--write", text); },
          "The derived constants as a table of the machine")
      ->option_text("FILE");
}

void add_core(CLI::App& calibrate) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* core = calibrate.add_subcommand("core", "The tile level from bundles, and against them")->group("Parts");
  add_common_flags(*core, options);
  core->footer(R"(Examples:
  podsim calibrate core
  podsim calibrate core --write workloads/machines/tpu-v3.core.toml)");
  core->callback([options] { calibrate_core(*options); });
}

void add_memory_part(CLI::App& calibrate) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* memory =
      calibrate.add_subcommand("memory", "Streams of HBM from its banks, and against them")->group("Parts");
  add_common_flags(*memory, options);
  memory
      ->add_option_function<std::string>(
          "--patterns",
          [options](const std::string& text) {
            options->patterns = parse_whole_number("--patterns", text, 1, 1'000'000);
          },
          "Random patterns of traffic to compare on [200]")
      ->option_text("N");
  memory
      ->add_option_function<std::string>(
          "--seed",
          [options](const std::string& text) {
            options->seed = parse_whole_number("--seed", text, 0, std::numeric_limits<std::int32_t>::max());
          },
          "Of the patterns [1]")
      ->option_text("N");
  memory->footer(R"(Examples:
  podsim calibrate memory
  podsim calibrate memory --set hbm.channels=32 --patterns 20
  podsim calibrate memory --write workloads/machines/tpu-v3.memory.toml)");
  memory->callback([options] { calibrate_memory(*options); });
}

}  // namespace

void add_calibrate(CLI::App& program) {
  CLI::App* calibrate =
      program.add_subcommand("calibrate", "Derive what a coarser level assumes from a finer one, and compare the two")
          ->group("Commands");
  calibrate->require_subcommand(1);
  calibrate->footer("Examples:\n  podsim calibrate core\n  podsim calibrate memory");
  add_core(*calibrate);
  add_memory_part(*calibrate);
}

}  // namespace podsim::app
