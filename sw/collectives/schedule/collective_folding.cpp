// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/collective_folding.h"

#include <algorithm>
#include <array>

namespace podsim::sw::collectives::schedule {
namespace {

bool same_route(const CollectiveSchedule& schedule, std::int32_t a, std::int32_t b, const Segment& segment) {
  const Route from_a = schedule.route(a, segment), from_b = schedule.route(b, segment);
  const int cores = schedule.cores_per_chip();
  return from_a.hops == from_b.hops && from_a.target % cores == from_b.target % cores;
}

bool same_sends(const CollectiveSchedule& schedule, std::int32_t a, std::int32_t b) {
  const GroupSchedule& program = schedule.program(a);
  const auto &at = schedule.member(a).position, &other = schedule.member(b).position;
  // Routes to neighbours follow from dimension and direction; those of direct sends differ from stripe to stripe.
  std::array<bool, 2 * noc::max_dimensions> compared{};
  const bool direct = !program.phases(0).empty() && !program.phases(0)[0].pattern->to_neighbours();
  const int orders = direct ? program.stripes() : program.orders();
  for (int order = 0; order < orders; ++order) {
    for (std::size_t index = 0; index < program.phases(order).size(); ++index) {
      const Phase& phase = program.phases(order)[index];
      Segment segment{.stripe = order, .phase = int(index)};
      if (!phase.pattern->to_neighbours()) {
        for (segment.distance = 1; segment.distance < phase.pattern->positions(); ++segment.distance) {
          if (!same_route(schedule, a, b, segment)) return false;
        }
        continue;
      }
      const auto dimension = std::size_t(phase.dimension);
      if (!phase.pattern->uniform() && at[dimension] != other[dimension]) return false;
      for (segment.direction = -1; segment.direction <= 1; segment.direction += 2) {
        bool& known = compared[2 * dimension + (segment.direction < 0)];
        if (phase.pattern->segments(segment.direction) == 0 || known) continue;
        if (!same_route(schedule, a, b, segment)) return false;
        known = true;
      }
    }
  }
  return true;
}

bool alike(const CollectiveSchedule& schedule, std::int32_t a, std::int32_t b) {
  if (schedule.takes_part(a) != schedule.takes_part(b)) return false;
  if (!schedule.takes_part(a)) return true;
  if (&schedule.program(a) != &schedule.program(b)) return false;
  const auto &one = schedule.member(a), &other = schedule.member(b);
  const CollectiveTraits& kind = traits(schedule.request().kind);
  if (one.inner != other.inner) return false;
  if (kind.pairwise) {
    if (one.position != other.position) return false;
    return !schedule.sends(a) || same_route(schedule, a, b, {});
  }
  if (kind.rooted && schedule.is_root(a) != schedule.is_root(b)) return false;
  return same_sends(schedule, a, b);
}

bool invariant_along(int dimension, const CollectiveSchedule& schedule, const StartTimes& starts) {
  const noc::Topology& slice = schedule.slice();
  const int cores = schedule.cores_per_chip();
  for (noc::NodeId chip = 0; chip < slice.nodes(); ++chip) {
    const auto next = slice.neighbour(chip, dimension, +1);
    for (int core = 0; core < cores; ++core) {
      const std::int32_t a = chip * cores + core, b = *next * cores + core;
      if (!starts.empty() && starts[std::size_t(a)] != starts[std::size_t(b)]) return false;
      if (!alike(schedule, a, b)) return false;
    }
  }
  return true;
}

}  // namespace

noc::FoldedTopology fold_for(const CollectiveSchedule& schedule, const StartTimes& starts) {
  std::vector<bool> folded;
  for (int d = 0; d < schedule.slice().dimensions(); ++d) {
    folded.push_back(noc::FoldedTopology::can_fold(schedule.slice(), d) && invariant_along(d, schedule, starts));
  }
  return noc::FoldedTopology(schedule.slice(), folded);
}

}  // namespace podsim::sw::collectives::schedule
