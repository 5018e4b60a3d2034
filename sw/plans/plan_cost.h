// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
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
  struct ProductCost {
    double compute_s = 0, collectives_s = 0;
  };
  /// Axes of some sizes in every order on the slice, and the costs of products that have been found, by product: that
  /// of a product in each order depends on what divides its own arrays alone, which is the text.
  struct Orders {
    std::vector<std::vector<PlacedAxis>> axes;
    std::vector<std::unordered_map<std::string, std::vector<ProductCost>>> known;
  };

  Orders& orders_of(const std::vector<std::int64_t>& sizes);
  const std::vector<ProductCost>& costs_of(const ShardingPlan& plan, Orders& orders, std::size_t product);

  const hlo::spmd::propagate::ClassedProgram& program_;
  AxisCosts& axes_;
  std::map<std::vector<std::int64_t>, Orders> orders_;  ///< by sizes of axes
  std::string dividing_;                                ///< of the product that is looked up
};

}  // namespace podsim::sw::plans
