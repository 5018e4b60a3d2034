// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/plan_space.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace podsim::sw::plans {
namespace {

using hlo::spmd::propagate::ClassedArray;
using hlo::spmd::propagate::ClassedProgram;

/// All arrays of a program, alike ones once.
std::vector<ClassedArray> arrays_of(const ClassedProgram& program) {
  std::vector<ClassedArray> all;
  const auto add = [&](ClassedArray array) {
    array.bytes = 0;
    if (std::ranges::find(all, array) == all.end()) all.push_back(std::move(array));
  };
  for (const ClassedArray& input : program.inputs) add(input);
  for (const hlo::spmd::propagate::KeptArrays& kept : program.kept) add(kept.array);
  for (const hlo::spmd::propagate::ClassedProduct& product : program.products) {
    for (const ClassedArray& array : product.arrays) add(array);
  }
  return all;
}

/// The divisions of `cores` into descending factors of at most `largest`.
void divide(std::int64_t cores, std::int64_t largest, std::size_t axes, std::vector<std::int64_t>& begun,
            std::vector<std::vector<std::int64_t>>& found) {
  if (cores == 1 && !begun.empty()) found.push_back(begun);
  if (axes == 0) return;
  for (std::int64_t size = std::min(cores, largest); size >= 2; --size) {
    if (cores % size != 0) continue;
    begun.push_back(size);
    divide(cores / size, size, axes - 1, begun, found);
    begun.pop_back();
  }
}

}  // namespace

PlanSpace::PlanSpace(const ClassedProgram& program, std::int64_t cores, std::vector<std::int64_t> mesh)
    : classes_(program.classes.size()) {
  std::map<std::pair<bool, int>, std::size_t> numbers;
  std::set<std::pair<std::size_t, std::size_t>> beside;
  for (const ClassedArray& array : arrays_of(program)) {
    std::vector<std::size_t> of_array;
    for (std::size_t d = 0; d < array.classes.size(); ++d) {
      if (array.classes[d] < 0) continue;
      const auto [at, is_new] = numbers.try_emplace({array.kept, array.classes[d]}, places_.size());
      if (is_new) places_.push_back({std::size_t(array.classes[d]), array.kept, 0, {}});
      Place& place = places_[at->second];
      place.divides = std::gcd(place.divides, array.sizes[d]);
      for (const std::size_t other : of_array) {
        if (other == at->second) continue;
        beside.insert({other, at->second});
        beside.insert({at->second, other});
      }
      of_array.push_back(at->second);
    }
  }
  for (const auto& [one, other] : beside) places_[one].beside.push_back(other);
  if (!mesh.empty()) {
    meshes_ = {std::move(mesh)};
    return;
  }
  std::vector<std::int64_t> begun;
  divide(cores, cores, most_axes, begun, meshes_);
}

AxisSet& PlanSpace::at(ShardingPlan& plan, const Place& place) const {
  return (place.kept ? plan.kept : plan.values)[place.of_class];
}

AxisSet PlanSpace::at(const ShardingPlan& plan, const Place& place) const {
  return (place.kept ? plan.kept : plan.values)[place.of_class];
}

bool PlanSpace::fits(const ShardingPlan& plan, const Place& place, AxisSet set) const {
  return place.divides % plan.size(set) == 0 &&
         std::ranges::all_of(place.beside, [&](std::size_t other) { return (at(plan, places_[other]) & set) == 0; });
}

bool PlanSpace::uses_all_axes(const ShardingPlan& plan) const {
  std::set<std::vector<bool>> of_axes;
  for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
    std::vector<bool> divides;
    for (const Place& place : places_) divides.push_back((at(plan, place) >> axis & 1) != 0);
    if (std::ranges::find(divides, true) == divides.end() || !of_axes.insert(std::move(divides)).second) return false;
  }
  return true;
}

bool PlanSpace::contains(const ShardingPlan& plan) const {
  if (plan.values.size() != classes_ || plan.kept.size() != classes_ || !uses_all_axes(plan)) return false;
  return canonical(plan) == plan && fits(plan);
}

bool PlanSpace::fits(const ShardingPlan& plan) const {
  return std::ranges::all_of(places_, [&](const Place& place) { return fits(plan, place, at(plan, place)); });
}

ShardingPlan PlanSpace::whole(const std::vector<std::int64_t>& mesh) const {
  return {.axes = mesh, .values = std::vector<AxisSet>(classes_), .kept = std::vector<AxisSet>(classes_)};
}

ShardingPlan PlanSpace::canonical(ShardingPlan plan) const {
  std::vector<std::size_t> order(plan.axes.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  ShardingPlan least = plan;
  while (std::ranges::next_permutation(order).found) {
    const auto moves_unequal = [&](std::size_t axis) { return plan.axes[order[axis]] != plan.axes[axis]; };
    bool is_alike = true;
    for (std::size_t axis = 0; axis < order.size(); ++axis) is_alike = is_alike && !moves_unequal(axis);
    if (!is_alike) continue;
    const auto renamed = [&](AxisSet set) {
      AxisSet result = 0;
      for (std::size_t axis = 0; axis < order.size(); ++axis) {
        if ((set >> axis & 1) != 0) result = AxisSet(result | (1U << order[axis]));
      }
      return result;
    };
    ShardingPlan other = plan;
    std::ranges::transform(plan.values, other.values.begin(), renamed);
    std::ranges::transform(plan.kept, other.kept.begin(), renamed);
    least = std::min(least, other);
  }
  return least;
}

bool PlanSpace::each(const std::function<bool(const ShardingPlan&)>& visit) const {
  std::size_t looks = 0;
  return std::ranges::all_of(meshes_, [&](const std::vector<std::int64_t>& mesh) {
    ShardingPlan plan = whole(mesh);
    return each_from(0, plan, looks, visit);
  });
}

bool PlanSpace::each_from(std::size_t place, ShardingPlan& plan, std::size_t& looks,
                          const std::function<bool(const ShardingPlan&)>& visit) const {
  constexpr std::size_t most_looks = 4'000'000;
  if (++looks > most_looks) return false;
  if (place == places_.size()) return !uses_all_axes(plan) || canonical(plan) != plan || visit(plan);
  const std::uint32_t sets = 1U << plan.axes.size();
  for (std::uint32_t set = 0; set < sets; ++set) {
    if (!fits(plan, places_[place], AxisSet(set))) continue;
    at(plan, places_[place]) = AxisSet(set);
    const bool more = each_from(place + 1, plan, looks, visit);
    at(plan, places_[place]) = 0;
    if (!more) return false;
  }
  return true;
}

void PlanSpace::assign(ShardingPlan& plan, std::size_t place, AxisSet set) const {
  for (const std::size_t other : places_[place].beside) {
    AxisSet& axes = at(plan, places_[other]);
    axes = AxisSet(axes & ~set);
  }
  at(plan, places_[place]) = set;
}

std::vector<ShardingPlan> PlanSpace::neighbours(const ShardingPlan& plan) const {
  std::vector<ShardingPlan> found;
  const std::uint32_t sets = 1U << plan.axes.size();
  const auto add = [&](ShardingPlan next) {
    if (next != plan && fits(next)) found.push_back(canonical(std::move(next)));
  };
  for (std::size_t one = 0; one < places_.size(); ++one) {
    for (std::uint32_t set = 0; set < sets; ++set) {
      ShardingPlan next = plan;
      assign(next, one, AxisSet(set));
      add(next);
      for (std::size_t other = one + 1; other < places_.size(); ++other) {  // the same class in values and in weights
        if (places_[other].of_class != places_[one].of_class) continue;
        ShardingPlan both = next;
        assign(both, other, AxisSet(set));
        add(std::move(both));
      }
    }
  }
  return found;
}

}  // namespace podsim::sw::plans
