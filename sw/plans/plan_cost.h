// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "hlo/spmd/propagate/classed_program.h"
#include "sw/plans/axis_costs.h"
#include "sw/plans/sharding_plan.h"

namespace podsim::sw::plans {

/// An estimate of a step under a plan, of one core.
struct PlanCost {
  double products_s = 0;     ///< by FLOPs or by bytes, whichever takes a product longer
  double update_s = 0;       ///< what is kept, read and written once
  double collectives_s = 0;  ///< each alone
  double kept_bytes = 0;     ///< of memory

  double total_s() const { return products_s + update_s + collectives_s; }
};

/// The cost of plans by formula. Along each axis, a product is divided along the factor that costs least, of those
/// along which one of its arrays is, or not at all: an operand that lies otherwise is gathered, or moved by an
/// all-to-all; a result whose parts are to be summed is reduced; an axis that divides nothing leaves the product whole
/// on its cores. Products take the peak of the matrix units, which rows and columns of 128 fill, or the rate of the
/// HBM. Everything else is left out: elementwise ops, halos, what is computed once more. So it ranks plans, and does
/// not predict.
class PlanCosts {
 public:
  /// Both outlive this.
  PlanCosts(const hlo::spmd::propagate::ClassedProgram& program, AxisCosts& axes) : program_(program), axes_(axes) {}

  /// With the axes in the order on the slice in which it costs least.
  PlanCost of(const ShardingPlan& plan);

 private:
  PlanCost placed(const ShardingPlan& plan, const std::vector<PlacedAxis>& axes);

  const hlo::spmd::propagate::ClassedProgram& program_;
  AxisCosts& axes_;
  std::map<std::vector<std::int64_t>, std::vector<std::vector<PlacedAxis>>> orders_;  ///< by sizes of axes
};

}  // namespace podsim::sw::plans
