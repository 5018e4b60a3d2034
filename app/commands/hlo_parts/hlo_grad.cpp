// SPDX-License-Identifier: Apache-2.0
#include "app/commands/hlo_parts/hlo_grad.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/hlo_parts/hlo_grad_check.h"
#include "app/options/limit_option.h"
#include "app/run/files/module_file.h"
#include "app/run/files/training_flags.h"
#include "app/run/files/trip_counts.h"
#include "base/diagnostic.h"
#include "base/host/standard_output.h"
#include "hlo/hlo_names.h"

namespace podsim::app::commands::hlo_parts {
namespace {

struct GradOptions {
  std::string file;
  run::files::TrainingFlags training;
  std::vector<std::string> trips;
  bool checks = false;
  CheckPoint point;
};

void require_flags_that_fit(const GradOptions& options) {
  if (options.checks && !options.training.optimizer.empty()) {
    throw base::InputError("--check compares gradients, which --train goes beyond");
  }
  if (options.checks && !options.training.precision.empty()) {
    throw base::InputError("--check is in double precision, so --precision has no effect");
  }
  if (!options.checks && (!options.point.arguments.empty() || options.point.seed != 0)) {
    throw base::InputError("--args and --seed are of a check: add --check");
  }
}

void print_gradients(const GradOptions& options) {
  require_flags_that_fit(options);
  std::vector<std::string> warnings;
  run::files::ModuleFile file = run::files::read_module(options.file, warnings, "FILE");
  run::files::set_trip_counts(file.graph, options.trips);
  for (const std::string& warning : warnings) base::host::print_warning(warning);
  run::files::locate_gradient_errors(file, [&] {
    if (options.checks) return check_gradients_of(file, options.training.plan(), options.point);
    const workloads::ProgramTraining plan = options.training.plan();
    const hlo::Module made = options.training.optimizer.empty()
                                 ? workloads::program_gradients(file.graph, plan)
                                 : workloads::trained_program(file.graph, plan, std::nullopt).module;
    base::host::print_source(hlo::to_string(hlo::with_hlo_names(made)));
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
  run::files::add_trips_option(*grad, options->trips);
  grad->add_flag(
      "--check", options->checks,
      "Compare the gradients with central differences of the loss, in f64,\nalong a random direction of each "
      "parameter");
  grad->add_option("--args", options->point.arguments,
                   "Values at which --check compares, as of `podsim hlo eval` [random]")
      ->option_text("DATA...");
  grad->add_option("--seed", options->point.seed, "Of the random values and directions of --check")->option_text("N");
  options::add_limit_option(*grad);
  grad->footer(
      "Results: the gradients of the trained parameters in their order, then the loss. With --train: the new\n"
      "parameters, the optimizer's new state, then the loss; its state, the learning rate and the number of the\n"
      "step become parameters.\n"
      "With --check: a line for each parameter. Exit code 1 if a gradient differs by more than step and rounding\n"
      "explain; a loss that is not smooth at the arguments is reported, and no failure.\n"
      "Examples:\n  podsim hlo grad model.mlir --parameters 'w*'\n  podsim hlo grad model.mlir --train adam > "
      "step.hlo\n  podsim hlo grad model.mlir --check");
  grad->callback([options] { print_gradients(*options); });
}

}  // namespace podsim::app::commands::hlo_parts
