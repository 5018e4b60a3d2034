// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/plan_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sw/plans/product_padding.h"

namespace podsim::sw::plans {
namespace {

using collectives::CollectiveKind;
using hlo::spmd::propagate::ClassedArray;
using hlo::spmd::propagate::ClassedFactor;
using hlo::spmd::propagate::ClassedProduct;

/// A product under a plan.
class DividedProduct {
 public:
  DividedProduct(const ShardingPlan& plan, const std::vector<PlacedAxis>& placed, const ClassedProduct& product,
                 AxisCosts& axes)
      : plan_(plan), placed_(placed), product_(product), axes_(axes), along_(product.factors.size(), 0) {
    for (const ClassedArray& array : product.arrays) {
      lie_.push_back(divided(plan, array));
      AxisSet all = 0;
      for (const AxisSet set : lie_.back()) all = AxisSet(all | set);
      divided_by_.push_back(all);
      any_ = AxisSet(any_ | all);
    }
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
      if ((any_ >> axis & 1) != 0) choose(AxisSet(1U << axis));
    }
  }

  double collectives_s() const { return collectives_s_; }

  double compute_s() const {
    const TargetMachine& machine = axes_.machine();
    double bytes = 0;
    for (std::size_t i = 0; i < product_.arrays.size(); ++i) {
      bytes += product_.arrays[i].bytes / double(plan_.size(used_by(i)));
    }
    const double padding = padding_of(product_, machine, [&](std::size_t f) { return plan_.size(along_[f]); });
    const double by_flops = product_.flops / double(plan_.size(used_)) * padding / machine.peak_flops_per_core();
    return std::max(by_flops, bytes / machine.hbm.stream_rate.si());
  }

 private:
  std::size_t result() const { return product_.arrays.size() - 1; }

  /// The dimension of array `i` along an axis; -1: none.
  int lies_along(std::size_t i, AxisSet axis) const {
    for (std::size_t d = 0; d < lie_[i].size(); ++d) {
      if ((lie_[i][d] & axis) != 0) return int(d);
    }
    return -1;
  }

  double seconds(CollectiveKind kind, AxisSet axis, double bytes) const {
    const CollectiveLine& line = axes_.line(kind, placed_[std::size_t(std::countr_zero(axis))]);
    return line.latency_s + bytes * line.s_per_byte;
  }

  /// Bytes of array `i` on a core before an axis divides it.
  double bytes_but_for(std::size_t i, AxisSet axis) const {
    return product_.arrays[i].bytes / double(plan_.size(AxisSet(divided_by_[i] & ~axis)));
  }

  /// The time in which a core lays out the parts of an array that an axis divides along `dimension`, before they are
  /// sent or when they have come: it reads and writes them, in tiles of 8 x 128 elements. Parts along the first
  /// dimension lie one after the other.
  double formatting_s(std::size_t i, int dimension, double bytes) const {
    if (dimension <= 0) return 0;
    const ClassedArray& array = product_.arrays[i];
    const std::size_t d = std::size_t(dimension), rank = array.sizes.size();
    constexpr double lanes = 128, sublanes = 8;
    const double tile = d + 1 == rank ? lanes : d + 2 == rank ? sublanes : 1;
    const double part = double(array.sizes[d]) / double(plan_.size(lie_[i][d]));
    return 2 * bytes * std::ceil(part / tile) * tile / part / axes_.machine().hbm.stream_rate.si();
  }

  /// What collectives take if the product is divided along `factor`; null: not at all.
  double collectives_along(AxisSet axis, const ClassedFactor* factor) const {
    double sum = 0;
    for (std::size_t i = 0; i < product_.arrays.size(); ++i) {
      const int lies = lies_along(i, axis), wanted = factor == nullptr ? -1 : factor->at[i];
      const bool is_result = i == result(), is_summed = is_result && factor != nullptr && factor->reduced;
      if (is_summed) {
        sum += summing_s(axis, i, lies);
      } else if (is_result ? wanted >= 0 && lies != wanted : lies >= 0 && lies != wanted) {
        sum += moving_s(axis, i, lies, wanted);
      }
    }
    return sum;
  }

  double summing_s(AxisSet axis, std::size_t i, int lies) const {
    const double bytes = bytes_but_for(i, axis);
    if (lies < 0) return seconds(CollectiveKind::all_reduce, axis, bytes);
    return seconds(CollectiveKind::reduce_scatter, axis, bytes) + formatting_s(i, lies, bytes);
  }

  /// From one dimension to another, or from or to none.
  double moving_s(AxisSet axis, std::size_t i, int lies, int wanted) const {
    const double bytes = bytes_but_for(i, axis);
    if (lies < 0 || wanted < 0) {
      return seconds(CollectiveKind::all_gather, axis, bytes) + formatting_s(i, std::max(lies, wanted), bytes);
    }
    const double part = bytes / double(plan_.size(axis));
    return seconds(CollectiveKind::all_to_all, axis, part) + formatting_s(i, std::max(lies, wanted), part);
  }

  void choose(AxisSet axis) {
    const double whole =
        product_.flops / double(plan_.size(AxisSet(any_ & ~axis))) / axes_.machine().peak_flops_per_core();
    double best = collectives_along(axis, nullptr) + whole, collectives = best - whole;
    std::size_t chosen = product_.factors.size();
    for (std::size_t f = 0; f < product_.factors.size(); ++f) {
      const ClassedFactor& factor = product_.factors[f];
      if (!lies_in(axis, factor)) continue;
      const double time = collectives_along(axis, &factor), sum = time + whole / double(plan_.size(axis));
      if (sum >= best) continue;
      best = sum;
      collectives = time;
      chosen = f;
    }
    collectives_s_ += collectives;
    if (chosen == product_.factors.size()) return;
    along_[chosen] = AxisSet(along_[chosen] | axis);
    used_ = AxisSet(used_ | axis);
  }

  /// True if an array is divided along this factor by the axis.
  bool lies_in(AxisSet axis, const ClassedFactor& factor) const {
    for (std::size_t i = 0; i < product_.arrays.size(); ++i) {
      if (factor.at[i] >= 0 && lies_along(i, axis) == factor.at[i]) return true;
    }
    return false;
  }

  /// The axes that divide array `i` while the product runs.
  AxisSet used_by(std::size_t i) const {
    AxisSet used = 0;
    for (std::size_t f = 0; f < product_.factors.size(); ++f) {
      if (product_.factors[f].at[i] >= 0) used = AxisSet(used | along_[f]);
    }
    return used;
  }

  const ShardingPlan& plan_;
  const std::vector<PlacedAxis>& placed_;
  const ClassedProduct& product_;
  AxisCosts& axes_;
  std::vector<std::vector<AxisSet>> lie_;  ///< by array and dimension
  std::vector<AxisSet> divided_by_;        ///< by array
  AxisSet any_ = 0;                        ///< axes that divide some array
  std::vector<AxisSet> along_;             ///< by factor: the axes that divide the product along it
  AxisSet used_ = 0;                       ///< axes that divide the product
  double collectives_s_ = 0;
};

}  // namespace

PlanCost PlanCosts::of(const ShardingPlan& plan) {
  Orders& orders = orders_of(plan.axes);
  std::vector<PlanCost> costs(orders.axes.size());
  for (std::size_t i = 0; i < program_.products.size(); ++i) {
    const double count = program_.products[i].count;
    const std::vector<ProductCost>& known = costs_of(plan, orders, i);
    for (std::size_t order = 0; order < costs.size(); ++order) {
      costs[order].products_s += count * known[order].compute_s;
      costs[order].collectives_s += count * known[order].collectives_s;
    }
  }
  PlanCost least = *std::ranges::min_element(costs, {}, [](const PlanCost& cost) { return cost.total_s(); });
  for (const hlo::spmd::propagate::KeptArrays& kept : program_.kept) {
    AxisSet all = 0;
    for (const AxisSet set : divided(plan, kept.array)) all = AxisSet(all | set);
    least.kept_bytes += kept.count * kept.array.bytes / double(plan.size(all));
  }
  least.update_s = 2 * least.kept_bytes / axes_.machine().hbm.stream_rate.si();
  return least;
}

PlanCosts::Orders& PlanCosts::orders_of(const std::vector<std::int64_t>& sizes) {
  const auto [orders, is_new] = orders_.try_emplace(sizes);
  if (is_new) orders->second = {placed_axes(sizes), {}};
  orders->second.known.resize(program_.products.size());
  return orders->second;
}

const std::vector<PlanCosts::ProductCost>& PlanCosts::costs_of(const ShardingPlan& plan, Orders& orders,
                                                               std::size_t product) {
  dividing_.clear();
  for (const ClassedArray& array : program_.products[product].arrays) {
    const std::vector<AxisSet>& sets = array.kept ? plan.kept : plan.values;
    for (const int of_class : array.classes)
      dividing_.push_back(of_class < 0 ? '\0' : char(sets[std::size_t(of_class)]));
  }
  const auto [known, is_new] = orders.known[product].try_emplace(dividing_);
  if (!is_new) return known->second;
  for (const std::vector<PlacedAxis>& axes : orders.axes) {
    const DividedProduct of(plan, axes, program_.products[product], axes_);
    known->second.push_back({of.compute_s(), of.collectives_s()});
  }
  return known->second;
}

}  // namespace podsim::sw::plans
