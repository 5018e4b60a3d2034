// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sw/collectives/schedule/collective_folding.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/target_machine.h"
#include "tests/sw/collectives/tpu_v3.h"

/// Any collective on any small slice, for properties.
namespace podsim::sw::collectives::engine::testing {

inline noc::Topology any_slice() {
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
  const int dimensions = *rc::gen::inRange(1, 4);
  for (int d = 0; d < dimensions; ++d) {
    sizes.push_back(dimensions == 3 ? *rc::gen::inRange(1, 4)
                                    : *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 8)));
    wraps.push_back(*rc::gen::arbitrary<bool>());
  }
  return noc::Topology(sizes, wraps);
}

/// All, the lines along an axis, every other one, or any ranks in any order.
inline CollectiveGroups any_groups(const noc::Topology& slice, int cores, bool equal) {
  std::vector<std::int32_t> ranks(std::size_t(slice.nodes()) * std::size_t(cores));
  std::iota(ranks.begin(), ranks.end(), 0);
  const int what = *rc::gen::inRange(0, 4);
  if (what == 0) return CollectiveGroups({ranks});
  if (what == 1)
    return CollectiveGroups::parse(noc::dimension_name(*rc::gen::inRange(0, slice.dimensions())), slice, cores);
  if (what == 2 && ranks.size() % 2 == 0) {
    return CollectiveGroups::parse(
        "[2," + std::to_string(ranks.size() / 2) + "]<=[" + std::to_string(ranks.size() / 2) + ",2]T(1,0)", slice,
        cores);
  }
  for (std::size_t i = ranks.size() - 1; i > 0; --i)
    std::swap(ranks[i], ranks[std::size_t(*rc::gen::inRange(0, int(i) + 1))]);
  const std::size_t size = std::size_t(*rc::gen::inRange(1, int(ranks.size()) + 1));
  std::vector<CollectiveGroups::Ranks> groups;
  for (std::size_t begin = 0; begin < ranks.size(); begin += size) {
    const std::size_t end = std::min(ranks.size(), begin + size);
    if (equal && end - begin < size) break;
    groups.emplace_back(ranks.begin() + std::ptrdiff_t(begin), ranks.begin() + std::ptrdiff_t(end));
  }
  return CollectiveGroups(std::move(groups));
}

inline CollectiveGroups any_pairs(std::int32_t ranks) {
  std::vector<std::int32_t> targets(std::size_t(ranks), 0);
  std::iota(targets.begin(), targets.end(), 0);
  for (std::size_t i = targets.size() - 1; i > 0; --i) {
    std::swap(targets[i], targets[std::size_t(*rc::gen::inRange(0, int(i) + 1))]);
  }
  std::vector<CollectiveGroups::Ranks> pairs;
  const std::int32_t count = *rc::gen::inRange(1, ranks + 1);
  for (std::int32_t source = 0; source < count; ++source) pairs.push_back({source, targets[std::size_t(source)]});
  return CollectiveGroups(std::move(pairs));
}

struct Case {
  sw::TargetMachine machine = tpu_v3();
  std::shared_ptr<const schedule::CollectiveSchedule> schedule;
  schedule::StartTimes starts;  ///< cores are stalled before they begin
};

inline Case any_case() {
  Case result;
  result.machine.cores_per_chip = *rc::gen::inRange(1, 4);
  const int cores = int(result.machine.cores_per_chip);
  const noc::Topology slice = any_slice();
  const CollectiveKind kind = *rc::gen::elementOf(collective_kinds);
  const std::int32_t ranks = slice.nodes() * cores;
  const bool permute = kind == CollectiveKind::collective_permute;
  const CollectiveGroups groups = permute ? any_pairs(ranks) : any_groups(slice, cores, true);
  const schedule::CollectiveRequest request{kind, *rc::gen::element(hlo::ElementType::bf16, hlo::ElementType::f32),
                                            *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 400))};
  const SegmentLengths lengths{*rc::gen::inRange(1, 40), *rc::gen::inRange(1, 80)};
  result.schedule = std::make_shared<const schedule::CollectiveSchedule>(
      slice, cores, groups, request, *rc::gen::elementOf(algorithms_for(kind)), lengths);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    result.starts.push_back(base::Time(*rc::gen::element(0, 0, 300'000, 20'000'000)));
  }
  return result;
}

}  // namespace podsim::sw::collectives::engine::testing
