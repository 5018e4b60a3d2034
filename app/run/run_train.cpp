// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "hw/input/input_parameters.h"
#include "sw/job/job_parameters.h"
#include "workloads/input_samples.h"
#include "workloads/training_runs.h"

namespace podsim::app::run {

namespace {

workloads::InputSamples data_of(const sw::report::run::RunReport& report) {
  const auto samples = workloads::input_samples(report.workload);
  if (samples && samples->training > 0 && report.samples_per_step() > 0) return *samples;
  throw base::InputError(fmt::format("an epoch of '{}' is not defined", report.workload),
                         "podsim run --loop has the time of any loop");
}

workloads::Convergence training_of(const sw::report::run::RunReport& report, const TrainOptions& options) {
  const auto batch = std::int64_t(report.samples_per_step());
  const auto known = workloads::convergence(report.workload, batch);
  if (options.epochs) {
    const double between = known ? known->between_evaluations : workloads::usual_epochs_between_evaluations;
    return {*options.epochs, between, "", "--epochs"};
  }
  if (known) return *known;
  const auto batches = workloads::known_batches(report.workload);
  throw base::InputError(
      fmt::format("no number of epochs is known for '{}' with a batch of {}", report.workload, batch),
      batches ? fmt::format("known for {} to {}; or --epochs N", batches->first, batches->second) : "--epochs N");
}

}  // namespace

sw::job::LoopPlan training_loop(const sw::report::run::RunReport& report, const TrainOptions& options) {
  const workloads::InputSamples data = data_of(report);
  const workloads::Convergence training = training_of(report, options);
  const double batch = report.samples_per_step();
  const double epochs = std::min(training.between_evaluations, training.epochs);
  return {std::int64_t(std::ceil(epochs * double(data.training) / batch)),
          std::int64_t(std::ceil(double(data.evaluation) / batch))};
}

sw::report::run::TrainReport training_report(const sw::report::run::RunReport& report, const TrainOptions& options,
                                             std::int64_t evaluation_ops, const base::Config& machine) {
  const workloads::Convergence training = training_of(report, options);
  sw::report::run::TrainReport train;
  train.epochs = training.epochs;
  train.loop_epochs = std::min(training.between_evaluations, training.epochs);
  train.target = training.target;
  train.source = training.source;
  const bool one = options.clients == sw::job::Clients::one;
  train.clients = one ? "one client" : "a client per host";
  sw::job::StartWork work;
  work.clients = options.clients;
  work.ops = std::int64_t(report.program.items.size());
  work.evaluation_ops = evaluation_ops;
  const double weights = double(report.memory.parameters.value()) * double(report.machine.cores_per_chip);
  work.to_device = base::Duration(weights / report.machine.host.pcie_rate.si());
  work.input = report.loop->parts.input;
  const hw::input::InputParameters input = hw::input::read_input_parameters(machine);
  work.hosts = (report.chips + input.host_chips - 1) / input.host_chips;
  train.start = sw::job::start_time(sw::job::read_job_parameters(machine), work);
  for (const workloads::PublishedRun& run : workloads::published_runs(report.workload)) {
    train.published.push_back({run.chips, run.minutes, run.source});
  }
  return train;
}

}  // namespace podsim::app::run
