// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "app/serve/serve_options.h"
#include "report/serving/scenario_report.h"
#include "workloads/serving/server_plan.h"

namespace podsim::app::serve {

/// A scenario of MLPerf's inference benchmark (mlcommons/inference_policies@ac93e89), of a workload without tokens:
///
///   offline        samples per second, all samples waiting: the batch with the greatest rate
///   server         Poisson arrivals of a sample each: the highest rate whose latency is within the limit for a
///                  percentile of the queries, over all batches
///   single_stream  the next sample when the last is done: the 90th percentile of its latency
///   multi_stream   the next 8 samples when the last are done: the 99th
///
/// A step takes the same each time, so that percentiles of the last two are its time. InputError for flags that do not
/// fit, and without a limit.
report::serving::ScenarioReport run_scenario(const ServeOptions& options);

/// The highest rate, of those up to `most`, at which a share `percentile` of so many queries is within `limit_s`: by
/// bisection, since the same seed has the same gaps at every rate, scaled, so that a higher rate delays every query.
struct ServedRate {
  double rate = 0;       ///< queries per second; 0: none
  double latency_s = 0;  ///< the percentile at that rate
};
struct RateLimit {
  double limit_s = 0, percentile = 0.99;
  std::int64_t queries = 1;
  std::uint64_t seed = 1;
};
ServedRate highest_rate(const workloads::serving::ServerPlan& plan, double most, const RateLimit& limit,
                        const workloads::serving::StepCosts& costs);

}  // namespace podsim::app::serve
