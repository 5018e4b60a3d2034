// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/options/op_cache_option.h"
#include "base/host/input_file.h"
#include "base/host/output_file.h"
#include "base/host/standard_output.h"
#include "validation/measured/tuned_tiles.h"

namespace podsim::app::commands {
namespace {

struct TilesOptions {
  workloads::machines::MachineChoice machine;
  options::OpCacheOption op_cache;
  std::string file, csv;
  bool json = false;
};

void run_tiles(TilesOptions& options) {
  const sw::TargetMachine machine = sw::read_target(options.machine.load());
  sw::compiler::OpCosts costs(machine, options.op_cache.open());
  const std::vector<validation::measured::TiledKernel> kernels =
      validation::measured::tuned_tiles(options.file, base::host::read_input("FILE", options.file), costs);
  options.op_cache.close();
  base::host::print_result(options.json ? validation::measured::tuned_tiles_json(kernels)
                                        : validation::measured::tuned_tiles_text(kernels));
  if (!options.csv.empty()) base::host::write_file(options.csv, validation::measured::tuned_tiles_csv(kernels));
}

}  // namespace

void add_tiles(CLI::App& program) {
  auto options = std::make_shared<TilesOptions>();
  CLI::App* tiles =
      program.add_subcommand("tiles", "Hold the model to measured tile sizes of kernels")->group("Commands");
  tiles->add_option("FILE", options->file, "TuningData of TpuGraphs' tile collection (.pb)")
      ->option_text(" ")
      ->required();
  options::add_machine_option(*tiles, options->machine);
  options::add_set_option(*tiles, options->machine);
  options::add_limit_option(*tiles);
  options->op_cache.add_to(*tiles);
  tiles->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*tiles, "--csv", options->csv, "Every run with both times");
  tiles->footer("Example:\n  podsim tiles kernels.pb");
  tiles->callback([options] { run_tiles(*options); });
}

}  // namespace podsim::app::commands
