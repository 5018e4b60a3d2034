// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "app/run/run_options.h"
#include "report/goodput_report.h"
#include "report/run/run_report.h"
#include "sw/target_machine.h"
#include "workloads/goodput/site.h"

/// The slices on which a job can go on, and what its step takes there.
namespace podsim::app::goodput {

/// `podsim train` of a loop of the job's steps, with a checkpoint to begin with.
report::run::RunReport job_on_slice(const run::RunOptions& options);

/// A step with the waits for its hosts, and what a start and a checkpoint take.
workloads::goodput::Way way_of(const report::run::RunReport& job, const base::Config& machine);

/// Smaller slices: two with half of the chips and one with a quarter, those that smaller_slices() has first. Their
/// steps have the samples of a step of the whole slice: simulated with more samples a core; where these do not fit, as
/// the steps of several batches as small as on the whole slice, each simulated and added up; where the workload does
/// not say its batch, as the step of the whole slice times the ratio of the chips.
std::vector<report::GoodputReport::WayReport> smaller_ways(const run::RunOptions& options,
                                                           const report::run::RunReport& whole,
                                                           const workloads::goodput::Site& site,
                                                           const base::Config& machine);

/// Factor of a step's time if a link is dead: what the step waits for collectives grows as its largest one does, taken
/// as an all-reduce over all cores.
double slowdown_around(const report::run::RunReport& whole, const workloads::goodput::Site& site, noc::LinkId link);

/// The largest factor of the middle links of the dimensions. std::nullopt if there are no
/// links, or one has no way around it.
std::optional<double> slowdown_around_any(const report::run::RunReport& whole, const workloads::goodput::Site& site);

}  // namespace podsim::app::goodput
