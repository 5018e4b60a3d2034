// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "app/arguments.h"
#include "app/commands.h"
#include "app/input_file.h"
#include "app/machine_options.h"
#include "app/slice.h"
#include "app/standard_output.h"
#include "base/atomic_file.h"
#include "sw/report/profile_report.h"

namespace podsim::app {
namespace {

struct OpsOptions {
  MachineOptions machine;
  std::string profile, slice, csv, svg;
  bool json = false;
};

/// As near to a square as its number of chips allows, the longer side first.
std::string squarest_slice(std::int64_t chips) {
  std::int64_t shorter = 1;
  for (std::int64_t side = 1; side * side <= chips; ++side) {
    if (chips % side == 0) shorter = side;
  }
  return fmt::format("{}x{}", chips / shorter, shorter);
}

/// What was asked for, else as many chips as the profile's collectives name devices.
std::string slice_text(const OpsOptions& options, const sw::Profile& profile, const hw::Machine& machine) {
  if (!options.slice.empty()) return options.slice;
  const std::int64_t devices = sw::devices_named(profile);
  if (devices == 0) return "4x4";
  return squarest_slice(base::divide_round_up(devices, machine.cores_per_chip));
}

bool has_collectives(const sw::Profile& profile) {
  for (const sw::ProfileOp& op : profile.ops) {
    const std::optional<sw::OpText> text = sw::read_op_text(op.hlo_text);
    if (text && sw::is_collective(text->opcode)) return true;
  }
  return false;
}

void run_ops(const OpsOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const hw::Machine machine = hw::read_machine(options.machine.load());
  const sw::Profile profile = sw::read_profile(options.profile, read_input("PROFILE", options.profile));
  sw::ProfileReport report;
  report.profile = options.profile;
  report.machine = machine.name;
  std::optional<noc::Topology> slice;
  if (has_collectives(profile)) {
    report.slice = slice_text(options, profile, machine);
    slice = parse_slice(report.slice, machine);
  }
  sw::ProfileModel model(machine, slice);
  // Groups may name cores that a slice that was asked for does not have.
  locate_errors("--slice", report.slice, [&] { report.ops = model.compare(profile); });
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!options.csv.empty()) base::write_file(options.csv, sw::profile_csv(report));
  if (!options.svg.empty()) base::write_file(options.svg, sw::profile_svg(report));
  print_result(options.json ? sw::profile_json(report) : sw::profile_text(report));
}

void add_path(CLI::App& command, const char* flag, std::string& path, const char* what) {
  command
      .add_option_function<std::string>(
          flag, [flag, &path](const std::string& text) { path = parse_path(flag, text); }, what)
      ->option_text("FILE");
}

}  // namespace

void add_ops(CLI::App& program) {
  auto options = std::make_shared<OpsOptions>();
  CLI::App* ops =
      program.add_subcommand("ops", "Hold the ops of a measured profile to the model, one by one")->group("Commands");
  ops->add_option("PROFILE", options->profile, "XProf's HLO op stats, exported as CSV")->option_text(" ")->required();
  options->machine.add_machine_option(*ops);
  ops->add_option("--slice", options->slice,
                  "Chips per dimension of the slice that was measured [from\nthe devices that collectives name]")
      ->option_text("AxB");
  options->machine.add_set_option(*ops);
  ops->add_flag("--json", options->json, "One JSON object on stdout");
  add_path(*ops, "--csv", options->csv, "Every op with both times");
  add_path(*ops, "--svg", options->svg, "Modelled over measured time, a dot per op");
  ops->footer("Examples:\n  podsim ops bert.csv\n  podsim ops bert.csv --set compiler.exposed_vector_fraction=0");
  ops->callback([options] { run_ops(*options); });
}

}  // namespace podsim::app
