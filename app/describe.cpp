// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/commands.h"
#include "app/machine_options.h"
#include "app/standard_output.h"
#include "base/config_listing.h"
#include "base/text_table.h"
#include "hw/machine.h"
#include "workloads/machines.h"

namespace podsim::app {
namespace {

struct DescribeOptions {
  MachineOptions machine;
  bool json = false;
  bool toml = false;
};

std::string table_text(const base::Config& config) {
  using Align = base::TextTable::Align;
  base::TextTable table({Align::left, Align::right, Align::left, Align::left, Align::left});
  table.row({"key", "value", "evidence", "set in", "source"});
  int assumed = 0;
  for (const base::ConfigEntry& entry : config.entries()) {
    table.row({entry.key, entry.text, to_string(entry.evidence), origin_text(entry), entry.source});
    assumed += entry.evidence == base::Evidence::assumed ? 1 : 0;
  }
  hw::Machine machine = hw::read_machine(config);
  return fmt::format("{}\n{} values, {} of them assumptions; peak {:.1f} TFLOP/s per core, {:.1f} per chip\n",
                     table.text(), config.entries().size(), assumed, machine.peak_flops_per_core() * 1e-12,
                     machine.peak_flops_per_core() * double(machine.cores_per_chip) * 1e-12);
}

std::string json_text(const base::Config& config) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const base::ConfigEntry& entry : config.entries()) {
    values.push_back({{"key", entry.key},
                      {"value", entry.text},
                      {"evidence", to_string(entry.evidence)},
                      {"source", entry.source},
                      {"origin", origin_text(entry)}});
  }
  nlohmann::ordered_json result = {{"schema_version", 1},
                                   {"command", "describe"},
                                   {"machine", config.string("machine.name")},
                                   {"values", values},
                                   {"warnings", nlohmann::ordered_json::array()}};
  return result.dump(2) + "\n";
}

void describe(const DescribeOptions& options) {
  base::Config config = options.machine.load();
  hw::read_machine(config);
  print_result(options.json ? json_text(config) : options.toml ? config.to_toml() : table_text(config));
}

}  // namespace

void add_describe(CLI::App& program) {
  auto options = std::make_shared<DescribeOptions>();
  CLI::App* command =
      program.add_subcommand("describe", "Print a machine: every value, its evidence and where it was set")
          ->group("Commands");
  command
      ->add_option("MACHINE", options->machine.machine,
                   "tpu-v2, tpu-v3, tpu-v3-hbm3 or a machine file (.toml)\n[tpu-v3]")
      ->option_text(" ");
  options->machine.add_set_option(*command);
  auto* json = command->add_flag("--json", options->json, "One JSON object on stdout");
  command->add_flag("--toml", options->toml, "The resolved machine as a machine file, to copy and change")
      ->excludes(json)
      ->option_text(" ");
  json->option_text(" ");
  command->footer(R"(Examples:
  podsim describe tpu-v2
  podsim describe --set hbm.channels=32 --toml > twice-the-hbm.toml)");
  command->callback([options] { describe(*options); });
}

}  // namespace podsim::app
