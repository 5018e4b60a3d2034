// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "app/commands/commands.h"
#include "app/options/file_option.h"
#include "app/options/keys_without_effect.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/options/op_cache_option.h"
#include "app/options/slice.h"
#include "app/output/partial_result.h"
#include "app/run/default_slice.h"
#include "base/host/host_clock.h"
#include "base/host/input_file.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/progress.h"
#include "report/category_report.h"
#include "report/layout_report.h"
#include "report/profile_report.h"

namespace podsim::app::commands {
namespace {

struct OpsOptions {
  workloads::machines::MachineChoice machine;
  options::OpCacheOption op_cache;
  std::string profile, slice, csv, svg, layouts, categories;
  bool json = false;
};

/// The requested slice, else the smallest with a core for each device that the profile's collectives name, else 4x4.
/// Devices that no slice of the machine has are left out.
std::string slice_text(const OpsOptions& options, const validation::profile::Profile& profile,
                       const sw::TargetMachine& machine) {
  if (!options.slice.empty()) return options.slice;
  std::int64_t most = machine.pod.pods;
  for (std::int64_t size : machine.pod.dimensions) most *= size;
  const std::int64_t devices = validation::profile::devices_named(profile, most * machine.cores_per_chip);
  if (devices == 0) return "4x4";
  for (std::int64_t chips = base::divide_round_up(devices, machine.cores_per_chip); chips <= most; ++chips) {
    if (std::optional<std::string> slice = run::slice_for(chips * machine.cores_per_chip, machine)) return *slice;
  }
  return "4x4";
}

bool has_collectives(const validation::profile::Profile& profile) {
  for (const validation::profile::ProfileOp& op : profile.ops) {
    const std::optional<validation::profile::OpText> text = validation::profile::read_op_text(op.hlo_text);
    if (text && hlo::is_collective(text->opcode)) return true;
  }
  return false;
}

validation::profile::Profile read_ops(const char* option, const std::string& file) {
  return validation::profile::read_profile(file, base::host::read_input(option, file));
}

/// Prints the times of the profile's categories next to those of another file of ops.
void compare_categories(const OpsOptions& options) {
  const auto begin = base::host::HostClock::now();
  report::CategoryReport report{.profile = options.profile, .ops = options.categories, .measured = {}, .simulated = {}};
  const auto compare = [&] {
    report.measured = validation::profile::step_times(read_ops("PROFILE", options.profile));
    report.simulated = validation::profile::step_times(read_ops("--categories", options.categories));
  };
  const auto result = [&] {
    report.wall_s = base::host::seconds_since(begin);
    return options.json ? report::category_json(report) : report::category_text(report);
  };
  output::publish(options.json, compare, result, {});
}

/// Prints the layouts of the profile's arrays next to those of another file of ops.
void compare_layouts(const OpsOptions& options) {
  const auto begin = base::host::HostClock::now();
  report::LayoutReport report{.profile = options.profile, .ops = options.layouts, .layouts = {}};
  const auto compare = [&] {
    report.layouts = validation::profile::compare_layouts(read_ops("PROFILE", options.profile),
                                                          read_ops("--layouts", options.layouts));
  };
  const auto result = [&] {
    report.wall_s = base::host::seconds_since(begin);
    return options.json ? report::layout_json(report) : report::layout_text(report);
  };
  output::publish(options.json, compare, result, {});
}

void run_ops(OpsOptions& options) {
  base::host::throw_on_interrupt();
  if (!options.layouts.empty()) return compare_layouts(options);
  if (!options.categories.empty()) return compare_categories(options);
  const auto begin = base::host::HostClock::now();
  const base::Config config = options.machine.load();
  const sw::TargetMachine machine = sw::read_target(config);
  options::warn_of_keys_without_effect(config,
                                       {base::parameters::KeyLevel::ops, base::parameters::KeyLevel::collectives});
  const validation::profile::Profile profile = read_ops("PROFILE", options.profile);
  report::ProfileReport report;
  report.profile = options.profile;
  report.measured_on = profile.measured_on;
  report.machine = machine.name;
  std::optional<noc::Topology> slice;
  if (has_collectives(profile)) {
    report.slice = slice_text(options, profile, machine);
    slice = options::parse_slice(report.slice, machine);
  }
  validation::profile::ProfileModel model(machine, slice, options.op_cache.open());
  base::Progress progress("modelling");
  const auto done = [&](const validation::profile::ComparedOp& op) {
    report.ops.push_back(op);
    progress.update(double(report.ops.size()) / double(profile.ops.size()));
  };
  const auto result = [&] {
    report.wall_s = base::host::seconds_since(begin);
    return options.json ? report::profile_json(report) : report::profile_text(report);
  };
  output::publish(options.json, [&] { model.compare(profile, done); }, result,
                  {[&] {
                     if (!options.csv.empty()) base::host::write_file(options.csv, report::profile_csv(report));
                   },
                   [&] {
                     if (!options.svg.empty()) base::host::write_file(options.svg, report::profile_svg(report));
                   }});
  options.op_cache.close();
}

}  // namespace

void add_ops(CLI::App& program) {
  auto options = std::make_shared<OpsOptions>();
  CLI::App* ops =
      program.add_subcommand("ops", "Hold the ops of a measured profile to the model, one by one")->group("Commands");
  ops->add_option("PROFILE", options->profile, "XProf's trace (xplane.pb), or its HLO op stats exported as CSV")
      ->option_text(" ")
      ->required();
  options::add_machine_option(*ops, options->machine);
  ops->add_option("--slice", options->slice,
                  "Chips per dimension of the slice that was measured [from\nthe devices that collectives name]")
      ->option_text("AxB");
  options::add_set_option(*ops, options->machine);
  options::add_limit_option(*ops);
  options->op_cache.add_to(*ops);
  ops->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*ops, "--csv", options->csv, "Every op with both times");
  options::add_file_option(*ops, "--svg", options->svg, "Modelled over measured time, a dot per op");
  ops->add_option("--layouts", options->layouts,
                  "Compare layouts with those of the same arrays in ops.csv of a\nrun, instead of times with the model")
      ->option_text("FILE")
      ->excludes("--slice", "--csv", "--svg", "--set", "--machine");
  ops->add_option(
         "--categories", options->categories,
         "Compare the time of a step by category with that of ops.csv\nof a run, instead of ops with the model")
      ->option_text("FILE")
      ->excludes("--slice", "--csv", "--svg", "--set", "--machine", "--layouts");
  ops->footer(
      "Examples:\n  podsim ops bert.csv\n  podsim ops log/plugins/profile/2026_11_25_12_00_00/host.xplane.pb\n  podsim "
      "ops bert.csv --set compiler.exposed_vector_fraction=0\n"
      "  podsim run bert_large --slice 8x4 --batch-per-core 32 -o run && podsim ops bert.csv --layouts run/ops.csv\n"
      "  podsim run bert_large --slice 8x4 --batch-per-core 32 -o run && podsim ops bert.csv --categories run/ops.csv");
  ops->callback([options] { run_ops(*options); });
}

}  // namespace podsim::app::commands
