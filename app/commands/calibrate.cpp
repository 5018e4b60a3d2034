// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/output/partial_result.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/progress.h"
#include "hw/chip/contention_agreement.h"
#include "hw/isa/fixed_sizes.h"
#include "hw/memory/banks/stream_agreement.h"
#include "hw/memory/dram/stream_calibration.h"
#include "report/contention_report.h"
#include "report/core_calibration_report.h"
#include "report/memory_calibration_report.h"
#include "sw/target_machine.h"

namespace podsim::app::commands {
namespace {

struct CalibrateOptions {
  workloads::machines::MachineChoice machine;
  bool json = false;
  std::string write;  ///< file; empty: none
  std::int64_t patterns = 200;
  std::int64_t seed = 1;
};

void write_constants(const CalibrateOptions& options, const std::function<std::string()>& text) {
  if (options.write.empty()) return;
  base::host::locate_errors("--write", options.write, [&] { base::host::write_file(options.write, text()); });
}

void compare_levels(report::CalibrationReport& report) {
  base::Progress progress("comparing");
  const std::vector<validation::kernels::KernelChoice> kernels = validation::kernels::agreement_grid();
  try {
    validation::kernels::compare_levels(report.machine, kernels,
                                        [&](const validation::kernels::LevelComparison& comparison) {
                                          report.comparisons.push_back(comparison);
                                          progress.update(double(report.comparisons.size()) / double(kernels.size()));
                                        });
  } catch (const base::host::Interrupted&) {
    throw base::host::Interrupted(fmt::format("after {} of {} kernels", report.comparisons.size(), kernels.size()));
  }
}

void calibrate_core(const CalibrateOptions& options) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  const base::Config config = options.machine.load();
  report::CalibrationReport report;
  report.machine = sw::read_target(config);
  hw::isa::at_place_of_value(config, [&] {
    hw::isa::require_fixed_sizes(report.machine);
    report.constants = validation::kernels::derive_core_constants(report.machine);
  });
  for (const validation::kernels::DerivedConstant& constant : report.constants)
    report.present.push_back(config.cycles(constant.key));
  write_constants(options, [&] { return validation::kernels::constants_toml(report.machine.name, report.constants); });
  output::publish(
      options.json, [&] { compare_levels(report); },
      [&] {
        report.wall_s = base::host::seconds_since(begin);
        return options.json ? report::calibration_json(report) : report::calibration_text(report);
      });
}

void compare_streams(const CalibrateOptions& options, report::MemoryCalibrationReport& report) {
  base::Progress progress("comparing");
  for (std::int64_t i = 0; i < options.patterns; ++i) {
    const std::uint64_t seed = std::uint64_t(options.seed) << 32 | std::uint64_t(i);
    try {
      report.comparisons.push_back(
          hw::memory::banks::compare_streams(report.machine, hw::memory::banks::random_requests(seed)));
    } catch (const base::host::Interrupted&) {
      throw base::host::Interrupted(fmt::format("after {} of {} patterns", i, options.patterns));
    }
    progress.update(double(i + 1) / double(options.patterns));
  }
}

void calibrate_memory(const CalibrateOptions& options) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  const base::Config config = options.machine.load();
  report::MemoryCalibrationReport report;
  report.machine = sw::read_target(config);
  write_constants(options, [&] { return hw::memory::dram::stream_constants_toml(config); });
  report.rates = report::sustained_rates(report.machine);
  output::publish(
      options.json, [&] { compare_streams(options, report); },
      [&] {
        report.wall_s = base::host::seconds_since(begin);
        return options.json ? report::memory_calibration_json(report) : report::memory_calibration_text(report);
      });
}

void compare_pairs(const CalibrateOptions& options, report::ContentionReport& report) {
  base::Progress progress("comparing");
  for (std::int64_t i = 0; i < options.patterns; ++i) {
    const std::uint64_t seed = std::uint64_t(options.seed) << 32 | std::uint64_t(i);
    try {
      const hw::chip::ContentionCase pair = hw::chip::random_contention(report.machine, seed);
      report.comparisons.push_back(hw::chip::compare_contention(report.machine, pair));
    } catch (const base::host::Interrupted&) {
      throw base::host::Interrupted(fmt::format("after {} of {} pairs", i, options.patterns));
    }
    progress.update(double(i + 1) / double(options.patterns));
  }
}

void calibrate_contention(const CalibrateOptions& options) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  report::ContentionReport report;
  report.machine = sw::read_target(options.machine.load());
  if (report.machine.cores_per_chip < 2) {
    throw base::InputError("core.cores_per_chip must be at least 2: the second core makes the traffic");
  }
  output::publish(
      options.json, [&] { compare_pairs(options, report); },
      [&] {
        report.wall_s = base::host::seconds_since(begin);
        return options.json ? report::contention_json(report) : report::contention_text(report);
      });
}

void add_common_flags(CLI::App& part, const std::shared_ptr<CalibrateOptions>& options) {
  options::add_machine_option(part, options->machine);
  options::add_set_option(part, options->machine);
  options::add_limit_option(part);
  part.add_flag("--json", options->json, "One JSON object on stdout");
}

void add_write_flag(CLI::App& part, const std::shared_ptr<CalibrateOptions>& options) {
  options::add_file_option(part, "--write", options->write, "The derived constants as a table of the machine");
}

/// Random cases: how many, and their seed.
void add_case_flags(CLI::App& part, const std::shared_ptr<CalibrateOptions>& options, const std::string& count,
                    const std::string& what) {
  part.add_option_function<std::string>(
          count,
          [options, count](const std::string& text) {
            options->patterns = base::host::parse_whole_number(count, text, 1, 1'000'000);
          },
          what + " to compare on [200]")
      ->option_text("N");
  part.add_option_function<std::string>(
          "--seed",
          [options](const std::string& text) {
            options->seed = base::host::parse_whole_number("--seed", text, 0, std::numeric_limits<std::int32_t>::max());
          },
          "Of the " + count.substr(2) + " [1]")
      ->option_text("N");
}

void add_core(CLI::App& calibrate) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* core = calibrate.add_subcommand("core", "The tile level from bundles, and against them")->group("Parts");
  add_common_flags(*core, options);
  add_write_flag(*core, options);
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
  add_write_flag(*memory, options);
  add_case_flags(*memory, options, "--patterns", "Random patterns of traffic");
  memory->footer(R"(Examples:
  podsim calibrate memory
  podsim calibrate memory --set hbm.channels=32 --patterns 20
  podsim calibrate memory --write workloads/machines/tpu-v3.memory.toml)");
  memory->callback([options] { calibrate_memory(*options); });
}

void add_contention(CLI::App& calibrate) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* contention =
      calibrate.add_subcommand("contention", "Ops concurrent with other HBM traffic, against the banks")
          ->group("Parts");
  add_common_flags(*contention, options);
  add_case_flags(*contention, options, "--pairs", "Random pairs of an op and a collective, copy or infeed");
  contention->footer("Examples:\n  podsim calibrate contention\n  podsim calibrate contention --pairs 20 --seed 2");
  contention->callback([options] { calibrate_contention(*options); });
}

}  // namespace

void add_calibrate(CLI::App& program) {
  CLI::App* calibrate =
      program.add_subcommand("calibrate", "Derive what a coarser level assumes from a finer one, and compare the two")
          ->group("Commands");
  calibrate->require_subcommand(1);
  calibrate->footer("Examples:\n  podsim calibrate core\n  podsim calibrate memory\n  podsim calibrate contention");
  add_core(*calibrate);
  add_memory_part(*calibrate);
  add_contention(*calibrate);
}

}  // namespace podsim::app::commands
