// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "hw/input/input_parameters.h"
#include "workloads/input_samples.h"
#include "workloads/job/job_parameters.h"
#include "workloads/training_runs.h"

namespace podsim::app::run {

namespace {

workloads::InputSamples data_of(const report::run::RunReport& report) {
  const auto samples = workloads::input_samples(report.workload);
  if (samples && samples->training > 0 && report.samples_per_step() > 0) return *samples;
  throw base::InputError(
      fmt::format("an epoch of '{}' is not defined", report.workload),
      "no source for the steps to its target; --train-steps N and --loop 'steps=N eval=M' state them");
}

workloads::Convergence training_of(const report::run::RunReport& report, const TrainOptions& options) {
  const auto batch = std::int64_t(report.samples_per_step());
  const auto known = workloads::convergence(report.workload, batch);
  if (options.epochs) {
    const double between = known ? known->between_evaluations : workloads::usual_epochs_between_evaluations;
    return {*options.epochs, between, "", "--epochs"};
  }
  if (known) return *known;
  const auto batches = workloads::known_batches(report.workload);
  std::string missing = "no source for how many its target takes; --epochs N or --train-steps N state them";
  if (batches) {
    missing = batches->first == batches->second
                  ? fmt::format("known for {}; or --epochs N", batches->first)
                  : fmt::format("known for {} to {}; or --epochs N", batches->first, batches->second);
  }
  throw base::InputError(
      fmt::format("no number of epochs is known for '{}' with a batch of {}", report.workload, batch), missing);
}

/// Epochs from one evaluation to the next, unless the options have a loop.
double epochs_of_loop(const workloads::Convergence& training, const TrainOptions& options) {
  return std::min(options.between_evaluations.value_or(training.between_evaluations), training.epochs);
}

/// Epochs or steps and loops of a report.
void add_training(report::run::TrainReport& train, const report::run::RunReport& report, const RunOptions& options) {
  const auto loop_steps = double(report.loop->parts.plan.steps);
  if (options.train->steps) {
    train.steps = double(*options.train->steps);
    train.loops = train.steps / loop_steps;
    train.source = "--train-steps";
    return;
  }
  const workloads::Convergence training = training_of(report, *options.train);
  train.epochs = training.epochs;
  train.target = training.target;
  train.source = training.source;
  const double interval = options.loop ? loop_steps * report.samples_per_step() / double(data_of(report).training)
                                       : epochs_of_loop(training, *options.train);
  // Published epochs are those of the evaluation that met the target, half an interval after it was met on average.
  const bool published = !options.train->epochs;
  const double late = published ? 0.5 * training.between_evaluations : 0.5 * interval;
  train.loops = std::max((training.epochs - late) / interval + 0.5, 1.0);
  train.steps = train.loops * loop_steps;
}

void add_runs(report::run::TrainReport& train, const report::run::RunReport& report, const TrainOptions& options) {
  if (options.runs == 1) return;
  const workloads::EpochSpread usual = workloads::usual_epoch_spread(report.workload);
  train.spread_source = options.spread ? "--spread" : usual.source;
  train.runs =
      workloads::job::spread_of_runs({options.runs, train.loops, options.spread.value_or(usual.value), options.seed});
}

}  // namespace

workloads::job::LoopPlan training_loop(const report::run::RunReport& report, const RunOptions& options) {
  if (options.loop) {
    if (!options.train->steps) {
      static_cast<void>(data_of(report));
      static_cast<void>(training_of(report, *options.train));
    }
    return *options.loop;
  }
  const workloads::InputSamples data = data_of(report);
  double epochs = options.train->between_evaluations.value_or(workloads::usual_epochs_between_evaluations);
  if (!options.train->steps) epochs = epochs_of_loop(training_of(report, *options.train), *options.train);
  const double batch = report.samples_per_step();
  workloads::job::LoopPlan plan{std::int64_t(std::ceil(epochs * double(data.training) / batch)),
                                std::int64_t(std::ceil(double(data.evaluation) / batch))};
  plan.checkpoint_steps = options.train->checkpoint_steps;
  if (plan.checkpoint_steps > plan.steps) {
    base::host::locate_errors("--checkpoint", std::to_string(plan.checkpoint_steps), [&] {
      throw base::InputError(fmt::format("a loop of {} steps ends before its first checkpoint", plan.steps),
                             "a checkpoint is after every so many steps of a loop");
    });
  }
  return plan;
}

report::run::TrainReport training_report(const report::run::RunReport& report, const RunOptions& options,
                                         std::int64_t evaluation_ops, const base::Config& machine) {
  report::run::TrainReport train;
  add_training(train, report, options);
  add_runs(train, report, *options.train);
  const bool one = options.train->clients == workloads::job::Clients::one;
  train.clients = one ? "one client" : "a client per host";
  workloads::job::StartWork work;
  work.clients = options.train->clients;
  work.ops = std::int64_t(report.program.items.size());
  work.evaluation_ops = evaluation_ops;
  const double weights = double(report.memory.arguments.value()) * double(report.machine.cores_per_chip);
  work.to_device = base::Duration(weights / report.machine.host.pcie_rate.si());
  if (options.train->restore) {
    work.from_storage = report.checkpoint->from_storage;
    work.to_device = report.checkpoint->to_device;
  }
  work.input = report.loop->parts.input;
  const hw::input::InputParameters input = hw::input::read_input_parameters(machine);
  work.hosts = (report.chips + input.host_chips - 1) / input.host_chips;
  train.start = workloads::job::start_time(workloads::job::read_job_parameters(machine), work);
  for (const workloads::PublishedRun& run : workloads::published_runs(report.workload)) {
    train.published.push_back({run.chips, run.batch, run.minutes, run.source});
  }
  return train;
}

}  // namespace podsim::app::run
