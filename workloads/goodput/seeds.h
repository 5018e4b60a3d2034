// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "workloads/goodput/checkpoint_interval.h"
#include "workloads/goodput/job_run.h"

namespace podsim::workloads::goodput {

/// The same job through several months, each with failures of its own.
struct Seeds {
  std::int64_t count = 100;
  std::uint64_t seed = 1;  ///< the months are drawn with seed, seed + 1, ...
};

/// The outcome of every seed.
std::vector<JobOutcome> run_seeds(const JobPlan& plan, std::span<const FaultSource> sources, const Seeds& seeds);

/// Share of the time in steps that count.
double goodput(const JobOutcome& outcome);
/// The value below which a share of the outcomes' goodputs are, between neighbours in proportion.
double goodput_quantile(std::span<const JobOutcome> outcomes, double share);
/// Sums over all, whose goodput is the mean. All of them together have less than 292 years.
JobOutcome sum_of(std::span<const JobOutcome> outcomes);

/// Mean time between failures of the whole slice that are not announced.
base::Duration time_between_failures(std::span<const FaultSource> sources);

/// The interval at which checkpoints, checks and lost steps take the least time for the work. Waiting, detection and
/// restarts are left out: they take a time for each failure, and failures come with the time of all the others, so that
/// the best interval is the same without them and does not vary with what is random of repairs. Jobs are run at
/// intervals from a quarter to four times that of Daly, in equal ratios, over as many seeds as have 20,000 failures
/// together, at least those of `seeds` and 4000 at most.
struct IntervalSearch {
  BestInterval best;
  std::vector<IntervalPoint> points;
  std::int64_t seeds = 0;  ///< of each point
};
IntervalSearch search_interval(JobPlan plan, std::span<const FaultSource> sources, const Seeds& seeds);

}  // namespace podsim::workloads::goodput
