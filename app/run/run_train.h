// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/run/run_options.h"
#include "base/config.h"
#include "report/run/run_report.h"

/// The parts of `podsim train` beyond a loop.
namespace podsim::app::run {

/// The loop between two evaluations of a workload's training, and the evaluation, unless the options have a loop.
/// InputError for a workload or a batch that nothing is published for, unless the options say how many epochs or steps.
workloads::job::LoopPlan training_loop(const report::run::RunReport& report, const RunOptions& options);

/// The start and the number of loops of a training whose loop the report has.
report::run::TrainReport training_report(const report::run::RunReport& report, const RunOptions& options,
                                         std::int64_t evaluation_ops, const base::Config& machine);

}  // namespace podsim::app::run
