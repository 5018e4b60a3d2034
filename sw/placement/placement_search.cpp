// SPDX-License-Identifier: Apache-2.0
#include "sw/placement/placement_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "base/diagnostic.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/compiler/collective_op.h"
#include "sw/placement/mesh_collectives.h"

namespace podsim::sw::placement {
namespace {

using Ranks = collectives::CollectiveGroups::Ranks;
using Groups = std::vector<Ranks>;

constexpr std::size_t max_simulated = 8;  ///< placements
constexpr double tie = 1e-3;              ///< relative

/// Collective times of a program on placements, computed once for each set of groups.
class PlacementCost {
 public:
  static constexpr double no_limit = std::numeric_limits<double>::infinity();

  PlacementCost(const TargetMachine& machine, const noc::Topology& slice, const compiler::Program& program)
      : machine_(machine), slice_(slice), program_(program), counted_(counted_collectives(program)) {}

  std::shared_ptr<collectives::engine::CollectiveTimes> times() const { return times_; }

  /// The sum by formula: to leave out most placements.
  double by_formula(const MeshPlacement& placement) {
    return sum(placement, no_limit, [&](const compiler::CollectiveOp& op, int number, Groups groups) {
      groups = needed_of(op, std::move(groups));
      auto [known, is_new] = by_formula_.try_emplace({number, groups}, 0);
      if (is_new) known->second = times_->estimate(slice_, on(std::move(groups)), compiler::request_of(op)).si();
      return known->second;
    });
  }
  /// The sum of the times by which algorithms are chosen; or, if that is not below the limit, any value that is not.
  base::Duration of(const MeshPlacement& placement, base::Duration limit = base::Duration(no_limit)) {
    return base::Duration(sum(placement, limit.si(), [&](const compiler::CollectiveOp& op, int, Groups groups) {
      return times_->min_time(slice_, on(std::move(groups)), compiler::request_of(op)).si();
    }));
  }

 private:
  template <class Seconds>
  double sum(const MeshPlacement& placement, double limit, Seconds seconds_of) {
    double seconds = 0;
    for (const CountedCollective& counted : counted_) {
      if (seconds >= limit) break;
      const compiler::CollectiveOp& op = program_.collectives[std::size_t(counted.collective)];
      Groups groups;
      for (const Ranks& group : op.groups) {
        Ranks& cores = groups.emplace_back();
        for (const std::int32_t partition : group) cores.push_back(placement.core(partition));
      }
      seconds += double(counted.count) * seconds_of(op, counted.collective, std::move(groups));
    }
    return seconds;
  }

  /// The groups that the formula needs. For a collective-permute, all pairs, and all groups that are not translates of
  /// each other; otherwise the groups that have a member on the same chip as the first group's first member.
  Groups needed_of(const compiler::CollectiveOp& op, Groups all) const {
    if (op.kind == collectives::CollectiveKind::collective_permute || !are_translates(op.groups)) return all;
    const auto chip_of = [&](std::int32_t core) { return core / std::int32_t(machine_.cores_per_chip); };
    const std::int32_t chip = chip_of(all.front().front());
    Groups seen;
    for (Ranks& group : all) {
      if (std::ranges::any_of(group, [&](std::int32_t core) { return chip_of(core) == chip; })) {
        std::ranges::sort(group);
        seen.push_back(std::move(group));
      }
    }
    return seen;
  }

  /// Returns whether the partitions of every group have the same distances; false if there is no group.
  static bool are_translates(const Groups& groups) {
    return !groups.empty() && std::ranges::all_of(groups, [&](const Ranks& group) {
      return std::ranges::equal(group, groups.front(), [&](std::int32_t one, std::int32_t other) {
        return one - group.front() == other - groups.front().front();
      });
    });
  }

  collectives::CollectiveGroups on(Groups groups) const {
    return groups.empty() ? collectives::CollectiveGroups::all(slice_, int(machine_.cores_per_chip))
                          : collectives::CollectiveGroups(std::move(groups));
  }

  const TargetMachine& machine_;
  const noc::Topology& slice_;
  const compiler::Program& program_;
  std::vector<CountedCollective> counted_;
  std::shared_ptr<collectives::engine::CollectiveTimes> times_ =
      std::make_shared<collectives::engine::CollectiveTimes>(machine_);
  std::map<std::pair<int, Groups>, double> by_formula_;
};

/// Enumerates the placements of the free axes: every division of them over the positions that the fixed axes leave of
/// each dimension, and every order of their factors along a dimension. Calls `found` with each.
class PlacementEnumeration {
 public:
  using Found = std::function<bool(const std::vector<AxisPlacement>&)>;  ///< returns false to stop

  PlacementEnumeration(const hlo::spmd::mesh::Mesh& mesh, const noc::Topology& slice, int cores_per_chip,
                       const std::vector<std::optional<AxisPlacement>>& fixed, Found found)
      : found_(std::move(found)), fixed_(fixed) {
    for (int d = 0; d < slice.dimensions(); ++d) left_.push_back(slice.size(d));
    left_.push_back(cores_per_chip);
    for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
      if (axis < fixed.size() && fixed[axis]) {
        for (const SliceFactor& factor : *fixed[axis]) {
          left_[std::size_t(factor.dimension)] /= factor.size;
          fixed_factors_.push_back(factor);
        }
      } else {
        free_.push_back(axis);
        sizes_.push_back(mesh.axes()[axis].size);
      }
    }
    placements_.resize(mesh.axes().size());
    parts_.assign(free_.size(), std::vector<std::int64_t>(left_.size(), 1));
    orders_.resize(left_.size());
  }

  void run() { divide(0, 0, sizes_.empty() ? 1 : sizes_[0]); }

 private:
  /// Divides the `rest` positions of free axis `axis` that have no factor yet over the dimensions from `step`, then
  /// proceeds with the next axis. Step 0 is the cores of a chip, step d + 1 is dimension d. Returns false to stop.
  bool divide(std::size_t axis, std::size_t step, std::int64_t rest) {
    if (axis == free_.size()) {
      const bool filled = std::ranges::all_of(left_, [](std::int64_t n) { return n == 1; });
      return !filled || order(0);
    }
    if (step == left_.size()) {
      if (rest != 1) return true;
      return divide(axis + 1, 0, axis + 1 < free_.size() ? sizes_[axis + 1] : 1);
    }
    const std::size_t dimension = step == 0 ? left_.size() - 1 : step - 1;
    for (std::int64_t part = std::gcd(rest, left_[dimension]); part >= 1; --part) {
      if (rest % part != 0 || left_[dimension] % part != 0) continue;
      left_[dimension] /= part;
      parts_[axis][dimension] = part;
      const bool more = divide(axis, step + 1, rest / part);
      parts_[axis][dimension] = 1;
      left_[dimension] *= part;
      if (!more) return false;
    }
    return true;
  }

  /// Tries every order, fastest first, of the axes along `dimension` and the following ones. Returns false to stop.
  bool order(std::size_t dimension) {
    if (dimension == left_.size()) return report();
    std::vector<std::size_t> along;
    for (std::size_t axis = free_.size(); axis-- > 0;) {
      if (parts_[axis][dimension] > 1) along.push_back(axis);
    }
    std::ranges::sort(along, std::greater<>{});
    do {
      orders_[dimension] = along;
      if (!order(dimension + 1)) return false;
    } while (std::ranges::next_permutation(along, std::greater<>{}).found);
    return true;
  }

  bool report() {
    for (auto& place : placements_) place.clear();
    for (std::size_t axis = 0; axis < placements_.size(); ++axis) {
      if (axis < fixed_.size() && fixed_[axis]) placements_[axis] = *fixed_[axis];
    }
    // From the slowest dimension to the cores of a chip: the order in which an AxisPlacement lists its factors.
    for (std::size_t step = 0; step < left_.size(); ++step) {
      const std::size_t dimension = step + 1 == left_.size() ? step : left_.size() - 2 - step;
      std::int64_t stride = 1;
      for (const std::size_t axis : orders_[dimension]) {
        stride = free_stride(int(dimension), stride, parts_[axis][dimension]);
        if (stride == 0) return true;
        placements_[free_[axis]].push_back({int(dimension), parts_[axis][dimension], stride});
        stride *= parts_[axis][dimension];
      }
    }
    return found_(placements_);
  }

  /// The smallest stride, at least `stride`, at which `size` positions overlap no fixed factor of the dimension; 0 if
  /// there is none.
  std::int64_t free_stride(int dimension, std::int64_t stride, std::int64_t size) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (const SliceFactor& factor : fixed_factors_) {
        if (factor.dimension != dimension || factor.size == 1) continue;
        if (factor.stride == stride) {
          stride *= factor.size;
          moved = true;
        } else if (factor.stride > stride && factor.stride < stride * size) {
          return 0;
        }
      }
    }
    return stride;
  }

  Found found_;
  const std::vector<std::optional<AxisPlacement>>& fixed_;
  std::vector<std::int64_t> left_;  ///< unassigned positions of each dimension
  std::vector<SliceFactor> fixed_factors_;
  std::vector<std::size_t> free_;                 ///< indices of the axes without a fixed placement
  std::vector<std::int64_t> sizes_;               ///< of the free axes
  std::vector<std::vector<std::int64_t>> parts_;  ///< [free axis][dimension]
  std::vector<std::vector<std::size_t>> orders_;  ///< [dimension]: free axes, the fastest first
  std::vector<AxisPlacement> placements_;
};

}  // namespace

base::Duration modelled_collective_time(const TargetMachine& machine, const MeshPlacement& placement,
                                        const compiler::Program& program) {
  return PlacementCost(machine, placement.slice(), program).of(placement);
}

PlacementChoice choose_placement(const TargetMachine& machine, const hlo::spmd::mesh::Mesh& mesh,
                                 const noc::Topology& slice, const std::vector<std::optional<AxisPlacement>>& fixed,
                                 const compiler::Program& program) {
  const int cores = int(machine.cores_per_chip);
  PlacementCost cost(machine, slice, program);
  PlacementChoice choice{MeshPlacement::natural(mesh, slice, cores), {}, {}, 0};
  choice.natural = cost.of(choice.placement);
  const bool is_free = std::ranges::none_of(fixed, [](const auto& place) { return place.has_value(); });
  bool have = is_free;
  if (have) {
    choice.modelled = choice.natural;
    choice.tried = 1;
  }
  // The best by formula, in the order in which they were tried where equal.
  std::vector<std::pair<double, MeshPlacement>> best;
  const auto consider = [&](const std::vector<AxisPlacement>& places) {
    MeshPlacement candidate(mesh, places, slice, cores);
    const double seconds = cost.by_formula(candidate);
    ++choice.tried;
    // A difference within rounding is a tie.
    const auto worse = std::ranges::find_if(best, [&](const auto& one) { return seconds < one.first * (1 - 1e-9); });
    best.insert(worse, {seconds, std::move(candidate)});
    if (best.size() > max_simulated) best.pop_back();
    return choice.tried < max_placements;
  };
  PlacementEnumeration(mesh, slice, cores, fixed, consider).run();
  if (!have && best.empty()) {
    throw base::InputError(
        fmt::format("the axes without a place do not fit beside the others in a slice of {}", noc::to_string(slice)));
  }
  for (auto& [seconds, candidate] : best) {
    const base::Duration limit(have ? choice.modelled.si() * (1 - tie) : PlacementCost::no_limit);
    const base::Duration modelled = cost.of(candidate, limit);
    if (modelled >= limit) continue;
    choice.placement = std::move(candidate);
    choice.modelled = modelled;
    have = true;
  }
  choice.times = cost.times();
  return choice;
}

base::Duration least_collective_time(const TargetMachine& machine, const hlo::spmd::mesh::Mesh& mesh,
                                     const noc::Topology& slice, const compiler::Program& program) {
  const int cores = int(machine.cores_per_chip);
  PlacementCost cost(machine, slice, program);
  double least = cost.by_formula(MeshPlacement::natural(mesh, slice, cores));
  int tried = 1;
  const std::vector<std::optional<AxisPlacement>> free;
  PlacementEnumeration(mesh, slice, cores, free, [&](const std::vector<AxisPlacement>& places) {
    least = std::min(least, cost.by_formula(MeshPlacement(mesh, places, slice, cores)));
    return ++tried < max_placements;
  }).run();
  return base::Duration(least);
}

}  // namespace podsim::sw::placement
