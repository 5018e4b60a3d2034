// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/host/process_output.h"
#include "studies/sweep/point_task.h"

namespace podsim::studies::sweep {

/// Runners of a study's points, which work concurrently with one point each: processes of this host, or ranks of an MPI
/// job.
class PointRunners {
 public:
  /// Outcome of the point that a runner was given.
  struct Report {
    std::size_t runner = 0;
    bool lost = false;  ///< the runner ended before the point did; output has the reason
    base::host::ProcessOutput output;
  };

  virtual ~PointRunners() = default;

  virtual std::size_t size() const = 0;
  /// False for a runner that ended without a successor.
  virtual bool usable(std::size_t runner) const = 0;
  /// Gives a point to a usable runner that has none.
  virtual void give(std::size_t runner, const PointTask& task) = 0;
  /// The reports that have arrived, within at most a tenth of a second; may be empty.
  virtual std::vector<Report> wait() = 0;
};

}  // namespace podsim::studies::sweep
