// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "app/point_output.h"
#include "app/point_task.h"

namespace podsim::app {

/// Those who run points of a study at the same time, one each: processes of this host, or ranks of many.
class PointRunners {
 public:
  /// What became of the point that a runner was given.
  struct Report {
    std::size_t runner = 0;
    bool lost = false;  ///< the runner ended with the point unfinished; output says how
    PointOutput output;
  };

  virtual ~PointRunners() = default;

  virtual std::size_t size() const = 0;
  /// False of a runner that ended and has no successor.
  virtual bool usable(std::size_t runner) const = 0;
  /// A point to a usable runner without one.
  virtual void give(std::size_t runner, const PointTask& task) = 0;
  /// Reports that have come, after at most a tenth of a second; may be none.
  virtual std::vector<Report> wait() = 0;
};

}  // namespace podsim::app
