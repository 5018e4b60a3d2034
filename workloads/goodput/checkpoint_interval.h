// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "base/units.h"

namespace podsim::workloads::goodput {

/// Young, A first order approximation to the optimum checkpoint interval, 1974: sqrt(2 C M) of work between two
/// checkpoints, each of which takes C, with a mean time M between failures.
base::Duration young_interval(base::Duration checkpoint, base::Duration between_failures);

/// Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, 2006:
///
///   sqrt(2 C M) (1 + sqrt(C / (2 M)) / 3 + C / (2 M) / 9) - C   if C < 2 M, else M
base::Duration daly_interval(base::Duration checkpoint, base::Duration between_failures);

/// Mean time for `work` and its checkpoint, with failures at a constant rate and restarts that may fail too:
/// M exp(R / M) (exp((work + C) / M) - 1), likewise of Daly. R is all that passes from a failure until the job runs.
base::Duration expected_time(base::Duration work, base::Duration checkpoint, base::Duration restart,
                             base::Duration between_failures);

/// What work takes with checkpoints after `work`, over the work: 1 if nothing is lost and checkpoints take no time.
struct IntervalPoint {
  double work_s = 0;
  double cost = 1;
};

/// The best of all intervals by the curve cost = a / work + b + c work + d work^2, fitted to the points by least
/// squares: checkpoints, a constant, and lost steps, of which some are lost more than once. A curve through many
/// points finds a flat minimum that no single one shows. Between the least and the greatest work of the points; there
/// are four at least.
struct BestInterval {
  base::Duration work;
  double cost = 1;        ///< by the curve
  bool at_limit = false;  ///< whether the points do not enclose the minimum
};
BestInterval best_interval(const std::vector<IntervalPoint>& points);

}  // namespace podsim::workloads::goodput
