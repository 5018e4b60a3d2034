// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/plan_bound.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "sw/plans/product_padding.h"

namespace podsim::sw::plans {
namespace {

using hlo::spmd::propagate::ClassedArray;
using hlo::spmd::propagate::ClassedFactor;
using hlo::spmd::propagate::ClassedProduct;

AxisSet joined(const std::vector<AxisSet>& sets) {
  AxisSet all = 0;
  for (const AxisSet set : sets) all = AxisSet(all | set);
  return all;
}

/// What a product takes at least, and the sum of its parts.
struct LeastTime {
  double product_s = 0, sum_s = 0;
};

class ProductBound {
 public:
  ProductBound(const ShardingPlan& plan, const ClassedProduct& product, const TargetMachine& machine,
               const noc::Topology& slice)
      : plan_(plan), product_(product), machine_(machine), slice_(slice) {
    for (const ClassedArray& array : product.arrays) {
      lie_.push_back(divided(plan, array));
      result_ = joined(lie_.back());
      any_ = AxisSet(any_ | result_);
    }
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
      const auto bit = AxisSet(1U << axis);
      if (product.arrays.back().kept && (any_ & bit) != 0 && is_summed(bit)) summed_ = AxisSet(summed_ | bit);
    }
    flops_s_ = product.flops * least_padding(product, machine) / machine.peak_flops_per_core();
  }

  /// Of the axes that can divide it, those with which it takes least.
  LeastTime least(bool overlaps) const {
    LeastTime best{flops_s_, 0};
    for (unsigned divides = 1; divides < 1U << plan_.axes.size(); ++divides) {
      if ((divides & ~unsigned(any_)) != 0) continue;
      const double sum = overlaps ? 0 : sum_s(AxisSet(divides));
      const LeastTime time{flops_s_ / double(plan_.size(AxisSet(divides))), sum};
      if (time.product_s + time.sum_s < best.product_s + best.sum_s) best = time;
    }
    return best;
  }

 private:
  /// Of a gradient whose product is divided along these axes.
  double sum_s(AxisSet divides) const {
    const auto summed = AxisSet(divides & summed_);
    const double chips = double(plan_.size(summed)) / double(machine_.cores_per_chip);
    if (summed == 0 || chips <= 1) return 0;
    const ClassedArray& result = product_.arrays.back();
    double elements = 1;
    for (const std::int64_t size : result.sizes) elements *= double(size);
    constexpr double narrow = 2;  // bytes
    const double parts = double(plan_.size(AxisSet((result_ | divides) & ~summed)));
    const double rate = 2.0 * slice_.dimensions() * machine_.ici.payload_rate().si();
    return std::min(result.bytes, narrow * elements) / parts * (chips - 1) / chips / rate;
  }

  /// True if the only factors that lie along an axis are summed.
  bool is_summed(AxisSet axis) const {
    bool any = false;
    for (std::size_t i = 0; i < product_.arrays.size(); ++i) {
      for (std::size_t d = 0; d < lie_[i].size(); ++d) {
        if ((lie_[i][d] & axis) == 0) continue;
        const auto has = [&](const ClassedFactor& factor) { return factor.at[i] == int(d); };
        const auto factor = std::ranges::find_if(product_.factors, has);
        if (factor == product_.factors.end() || !factor->reduced) return false;
        any = true;
      }
    }
    return any;
  }

  const ShardingPlan& plan_;
  const ClassedProduct& product_;
  const TargetMachine& machine_;
  const noc::Topology& slice_;
  std::vector<std::vector<AxisSet>> lie_;  ///< by array and dimension
  AxisSet result_ = 0;                     ///< axes that divide the result
  AxisSet any_ = 0;                        ///< axes that divide some array
  AxisSet summed_ = 0;                     ///< axes along which a gradient is the sum of parts
  double flops_s_ = 0;
};

}  // namespace

double least_step_s(const ShardingPlan& plan, const hlo::spmd::propagate::ClassedProgram& program,
                    const TargetMachine& machine, const noc::Topology& slice, bool overlaps) {
  double products = 0, sums = 0, kept_bytes = 0;
  for (const ClassedProduct& product : program.products) {
    const LeastTime least = ProductBound(plan, product, machine, slice).least(overlaps);
    products += product.count * least.product_s;
    sums += product.count * least.sum_s;
  }
  for (const hlo::spmd::propagate::KeptArrays& kept : program.kept) {
    kept_bytes += kept.count * kept.array.bytes / double(plan.size(joined(divided(plan, kept.array))));
  }
  const double update = 2 * kept_bytes / machine.hbm.stream_rate.si();
  return std::max(products, update) + sums;
}

}  // namespace podsim::sw::plans
