// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "hlo/spmd/propagate/classed_program.h"
#include "sw/plans/sharding_plan.h"

namespace podsim::sw::plans {

/// The plans of a program on a number of cores: every division of the cores into at most three axes (equal axes count
/// once), every set of axes for each class, in values and in what is kept. A plan is in the space if
///   - every axis divides some value or some kept array,
///   - no axis is asked for by dimensions of two classes of an array,
///   - axes divide every dimension of a class evenly,
///   - no two axes divide the same classes: they would be one axis,
///   - it is the first of those that differ in the names of equal axes.
class PlanSpace {
 public:
  /// With the sizes of `mesh` alone, unless it is empty.
  PlanSpace(const hlo::spmd::propagate::ClassedProgram& program, std::int64_t cores,
            std::vector<std::int64_t> mesh = {});

  bool contains(const ShardingPlan& plan) const;
  /// The plan of the space that is the same but for the names of equal axes.
  ShardingPlan canonical(ShardingPlan plan) const;
  /// Every axis divides something, and no two divide the same.
  bool uses_all_axes(const ShardingPlan& plan) const;
  const std::vector<std::vector<std::int64_t>>& meshes() const { return meshes_; }
  /// The plan of a mesh that divides nothing, which is not in the space.
  ShardingPlan whole(const std::vector<std::int64_t>& mesh) const;

  /// Calls `visit` with every plan, in a fixed order, until it returns false. Returns whether all were visited; false
  /// also if some millions of sets of axes had to be looked at.
  bool each(const std::function<bool(const ShardingPlan&)>& visit) const;

  /// Canonical plans that differ from one in the axes of one class, of values or of what is kept, or of both. Where
  /// another class of an array has one of its axes, that class loses it. They may leave axes unused.
  std::vector<ShardingPlan> neighbours(const ShardingPlan& plan) const;

 private:
  /// A class in values or in what is kept, which an array has.
  struct Place {
    std::size_t of_class = 0;
    bool kept = false;
    std::int64_t divides = 0;         ///< greatest number that divides its dimensions
    std::vector<std::size_t> beside;  ///< others that share an array with it
  };

  AxisSet& at(ShardingPlan& plan, const Place& place) const;
  AxisSet at(const ShardingPlan& plan, const Place& place) const;
  bool fits(const ShardingPlan& plan) const;
  bool fits(const ShardingPlan& plan, const Place& place, AxisSet set) const;
  void assign(ShardingPlan& plan, std::size_t place, AxisSet set) const;
  bool each_from(std::size_t place, ShardingPlan& plan, std::size_t& looks,
                 const std::function<bool(const ShardingPlan&)>& visit) const;

  std::size_t classes_;
  std::vector<Place> places_;
  std::vector<std::vector<std::int64_t>> meshes_;
};

}  // namespace podsim::sw::plans
