// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/options/flag_values.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "base/config_listing.h"
#include "base/host/arguments.h"
#include "base/host/standard_output.h"
#include "base/text/json_text.h"
#include "base/text/text_table.h"
#include "report/pod_tree_report.h"
#include "sw/key_levels.h"
#include "sw/target_machine.h"
#include "workloads/machines/machines.h"

namespace podsim::app::commands {
namespace {

struct DescribeOptions {
  workloads::machines::MachineChoice machine;
  bool json = false;
  bool toml = false;
  bool tree = false;
  hw::pod::TreeDetail detail = hw::pod::TreeDetail::tile;
};

/// "ops", "banks", ...: the levels at which a key acts.
std::vector<std::string> level_names(const std::string& key) {
  std::vector<std::string> names;
  for (const base::parameters::KeyLevel level : sw::levels_of(key)) names.push_back(base::parameters::name_of(level));
  return names;
}

std::string table_text(const base::Config& config) {
  using Align = base::text::TextTable::Align;
  base::text::TextTable table({Align::left, Align::right, Align::left, Align::left, Align::left, Align::left});
  table.row({"key", "value", "evidence", "set in", "acts on", "source"});
  int assumed = 0;
  for (const base::ConfigEntry& entry : config.entries()) {
    table.row({entry.key, entry.text, base::to_string(entry.evidence), base::origin_text(entry),
               fmt::format("{}", fmt::join(level_names(entry.key), " ")), entry.source});
    assumed += entry.evidence == base::Evidence::assumed ? 1 : 0;
  }
  sw::TargetMachine machine = sw::read_target(config);
  return fmt::format("{}\n{} values, {} of them assumptions; peak {:.1f} TFLOP/s per core, {:.1f} per chip\n",
                     table.text(), config.entries().size(), assumed, machine.peak_flops_per_core() * 1e-12,
                     machine.peak_flops_per_core() * double(machine.cores_per_chip) * 1e-12);
}

std::string json_text(const base::Config& config) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const base::ConfigEntry& entry : config.entries()) {
    values.push_back({{"key", entry.key},
                      {"value", entry.text},
                      {"evidence", base::to_string(entry.evidence)},
                      {"source", entry.source},
                      {"origin", base::origin_text(entry)},
                      {"acts_on", level_names(entry.key)}});
  }
  nlohmann::ordered_json result = {{"schema_version", 1},
                                   {"command", "describe"},
                                   {"machine", config.string("machine.name")},
                                   {"values", values},
                                   {"warnings", nlohmann::ordered_json::array()}};
  return base::text::json_text(result, 2) + "\n";
}

void describe_tree(const sw::TargetMachine& machine, const DescribeOptions& options) {
  const hw::pod::TreeNode pod = hw::pod::pod_tree(machine, options.detail);
  if (!options.json) return base::host::print_result(report::pod_tree_text(pod));
  const nlohmann::ordered_json result = {{"schema_version", 1},
                                         {"command", "describe"},
                                         {"machine", machine.name},
                                         {"pod", report::pod_tree_json(pod)},
                                         {"warnings", nlohmann::ordered_json::array()}};
  base::host::print_result(base::text::json_text(result, 2) + "\n");
}

void describe(const DescribeOptions& options) {
  base::Config config = options.machine.load();
  const sw::TargetMachine machine = sw::read_target(config);
  if (options.tree) return describe_tree(machine, options);
  if (options.toml) return base::host::print_source(config.to_toml());
  base::host::print_result(options.json ? json_text(config) : table_text(config));
}

void add_detail(CLI::App& command, DescribeOptions& options, CLI::Option& tree) {
  using enum hw::pod::TreeDetail;
  static const std::vector<std::string> details{"replay", "tile", "chip"};
  command
      .add_option_function<std::string>(
          "--detail",
          [&options](const std::string& text) {
            options.detail = std::array{replay, tile,
                                        chip}[base::host::parse_choice("--detail", text, "a level of detail", details)];
          },
          "Of the chip that --tree shows [tile]")
      ->type_name(options::alternatives(details))
      ->option_text("LEVEL")
      ->needs(&tree);
}

}  // namespace

void add_describe(CLI::App& program) {
  auto options = std::make_shared<DescribeOptions>();
  CLI::App* command =
      program.add_subcommand("describe", "Print a machine: every value, its evidence and where it was set")
          ->group("Commands");
  command
      ->add_option("MACHINE", options->machine.machine,
                   "tpu-v2, tpu-v3, tpu-v3-hbm3, tpu-v5e, tpu-v6e or a\nmachine file (.toml) [tpu-v3]")
      ->option_text(" ");
  options::add_set_option(*command, options->machine);
  options::add_limit_option(*command);
  auto* json = command->add_flag("--json", options->json, "One JSON object on stdout");
  command->add_flag("--toml", options->toml, "The resolved machine as a machine file, to copy and change")
      ->excludes(json)
      ->option_text(" ");
  auto* tree =
      command
          ->add_flag(
              "--tree", options->tree,
              "A pod as a run makes it: its links and a chip with its units,\nscopes, ports and signals for --trace")
          ->excludes("--toml")
          ->option_text(" ");
  add_detail(*command, *options, *tree);
  json->option_text(" ");
  command->footer(R"(Examples:
  podsim describe tpu-v2
  podsim describe --set hbm.channels=32 --toml > twice-the-hbm.toml)");
  command->callback([options] { describe(*options); });
}

}  // namespace podsim::app::commands
