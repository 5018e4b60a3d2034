// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/pod/collective_schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/schedule/collective_estimate.h"

namespace podsim::sw::runtime::pod {
namespace {

bool supports(collectives::CollectiveKind kind, collectives::Algorithm wanted) {
  return std::ranges::count(collectives::algorithms_for(kind), wanted) > 0;
}

std::shared_ptr<const collectives::schedule::CollectiveSchedule> schedule_of(
    const compiler::CollectiveOp& op, const TargetMachine& machine, const noc::Topology& slice,
    std::optional<collectives::Algorithm> wanted, collectives::engine::CollectiveTimes& times) {
  const collectives::schedule::CollectiveRequest request{op.kind, op.element_type,
                                                         op.bytes.value() / hlo::byte_width(op.element_type)};
  const collectives::CollectiveGroups groups =
      op.groups.empty() ? collectives::CollectiveGroups::all(slice, int(machine.cores_per_chip))
                        : collectives::CollectiveGroups(op.groups);
  if (!wanted || !supports(op.kind, *wanted)) return times.choose(slice, groups, request).schedule;
  return std::make_shared<const collectives::schedule::CollectiveSchedule>(
      slice, int(machine.cores_per_chip), groups, request, *wanted,
      collectives::schedule::segment_lengths(machine, op.element_type));
}

}  // namespace

CollectiveSchedules schedules_of(const compiler::Program& program, const TargetMachine& machine,
                                 const noc::Topology& slice, std::optional<collectives::Algorithm> wanted,
                                 collectives::engine::CollectiveTimes& times) {
  CollectiveSchedules schedules;
  // Layers repeat their collectives; what is combined in one makes no difference.
  std::map<compiler::CollectiveOp, CollectiveSchedules::value_type> known;
  for (const compiler::CollectiveOp& op : program.collectives) {
    const compiler::CollectiveOp content{op.kind, op.element_type, op.bytes, 0, op.groups, {}};
    auto [same, is_new] = known.try_emplace(content);
    if (is_new) same->second = schedule_of(op, machine, slice, wanted, times);
    schedules.push_back(same->second);
  }
  return schedules;
}

CollectiveOrders orders_of(const TargetMachine& machine, const CollectiveSchedules& schedules) {
  CollectiveOrders orders;
  std::map<const collectives::schedule::CollectiveSchedule*, CollectiveOrders::value_type> known;
  for (const CollectiveSchedules::value_type& schedule : schedules) {
    const auto [same, is_new] = known.try_emplace(schedule.get());
    if (is_new) same->second = collectives::engine::plan_order(machine, schedule);
    orders.push_back(same->second);
  }
  return orders;
}

std::vector<std::string> notes_of_other_algorithms(const compiler::Program& program, collectives::Algorithm wanted) {
  std::vector<std::string> notes;
  for (const compiler::CollectiveOp& op : program.collectives) {
    if (supports(op.kind, wanted)) continue;
    std::string note = fmt::format("{} is not supported by the algorithm {}: the fastest supported algorithm is used",
                                   collectives::to_string(op.kind), collectives::to_string(wanted));
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace podsim::sw::runtime::pod
