// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace podsim::workloads::job {

/// How many trainings are run, and what their epochs vary by.
struct SpreadPlan {
  std::int64_t runs = 1;
  double loops = 1;   ///< that trainings take on average, evaluated at the end of each
  double spread = 0;  ///< standard deviation over mean of the epochs after which a training is good enough
  std::uint64_t seed = 1;
};

/// Trainings of one plan, by what they take in loops.
///
/// A network is good enough after normally distributed epochs, and an evaluation shows that after the loop in which it
/// happens. What is published are the epochs at that evaluation, on average half a loop later, so that
///
///   loops of a run = ceil(loops - 1/2 + spread * loops * Z), at least 1,
///
/// has the mean `loops` as long as the spread is not much less than a loop. Numbers depend on the seed and the number
/// of the run alone, and are the same with every standard library.
struct RunSpread {
  SpreadPlan plan;
  std::vector<std::int64_t> loops;  ///< of each run

  double mean() const;
  double standard_deviation() const;  ///< of the sample; 0 for one run
  std::int64_t least() const;
  std::int64_t most() const;
  /// The mean without the fastest and the slowest run, as MLPerf reports it; of three runs at least.
  double mlperf() const;
};

RunSpread spread_of_runs(const SpreadPlan& plan);

}  // namespace podsim::workloads::job
