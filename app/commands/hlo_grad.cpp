// SPDX-License-Identifier: Apache-2.0
#include "app/commands/hlo_grad.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/limit_option.h"
#include "app/run/module_file.h"
#include "app/run/training_flags.h"
#include "app/run/trip_counts.h"
#include "base/host/standard_output.h"
#include "sw/ir/hlo_names.h"

namespace podsim::app::commands {
namespace {

struct GradOptions {
  std::string file;
  run::TrainingFlags training;
  std::vector<std::string> trips;
};

void print_gradients(const GradOptions& options) {
  std::vector<std::string> warnings;
  run::ModuleFile file = run::read_module(options.file, warnings, "FILE");
  run::set_trip_counts(file.graph, options.trips);
  for (const std::string& warning : warnings) base::host::print_warning(warning);
  run::locate_gradient_errors(file, [&] {
    const workloads::ProgramTraining plan = options.training.plan();
    const sw::ir::Module made = options.training.optimizer.empty()
                                    ? workloads::program_gradients(file.graph, plan)
                                    : workloads::trained_program(file.graph, plan, std::nullopt).module;
    base::host::print_source(sw::ir::to_string(sw::ir::with_hlo_names(made)));
  });
}

}  // namespace

void add_hlo_grad(CLI::App& hlo) {
  auto options = std::make_shared<GradOptions>();
  CLI::App* grad = hlo.add_subcommand("grad",
                                      "A forward program with the gradients of its loss, or with --train the whole "
                                      "training step")
                       ->group("Parts");
  grad->add_option("FILE", options->file, "HLO or StableHLO text, or a function of a Python file (net.py:resnet)")
      ->option_text(" ")
      ->required();
  options->training.add_to(*grad);
  run::add_trips_option(*grad, options->trips);
  options::add_limit_option(*grad);
  grad->footer(
      "Results: the gradients of the trained parameters in their order, then the loss. With --train: the new\n"
      "parameters, the optimizer's new state, then the loss; its state, the learning rate and the number of the\n"
      "step become parameters.\n"
      "Examples:\n  podsim hlo grad model.mlir --parameters 'w*'\n  podsim hlo grad model.mlir --train adam > "
      "step.hlo");
  grad->callback([options] { print_gradients(*options); });
}

}  // namespace podsim::app::commands
