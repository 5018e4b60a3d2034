// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/run_activity.h"

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "hw/activity.h"
#include "sw/collectives/schedule/collective_activity.h"

namespace podsim::sw::runtime {
namespace {

using collectives::schedule::CollectiveActivity;
using collectives::schedule::CollectiveSchedule;

hw::Activity of_infeed(const compiler::HostTransfer& transfer) {
  hw::Activity activity;
  activity.host_in = activity.switched = activity.transfer_written = transfer.bytes;
  if (transfer.in_place) return activity;
  activity.transfer_read = transfer.bytes;
  activity.transfer_written += transfer.bytes;
  return activity;
}

hw::Activity of_outfeed(const compiler::HostTransfer& transfer) {
  hw::Activity activity;
  activity.host_out = activity.switched = activity.transfer_written = transfer.bytes;
  activity.transfer_read = 2 * transfer.bytes;
  return activity;
}

/// The items of a program on a slice; each distinct one is counted once.
class CountedItems {
 public:
  CountedItems(const compiler::Program& program, const TargetMachine& machine,
               const pod::CollectiveSchedules& schedules, const pod::Fold& fold, const Stages& stages)
      : program_(program),
        machine_(machine),
        schedules_(schedules),
        fold_(fold),
        stages_(stages),
        ops_(program.ops.size()) {}

  /// What the items do on a core: one execution of each, and all together.
  StepActivity of_core(const std::vector<ItemResult>& items, std::int32_t core) {
    StepActivity step;
    for (const ItemResult& result : items) {
      const auto [known, is_new] = step.items.try_emplace(result.item);
      if (is_new)
        known->second =
            is_collective(item_of(result)) ? activity_of(item_of(result).index).of(core) : of_own(item_of(result));
      hw::add(known->second, result.times, step.core);
    }
    return step;
  }

  /// What they do on all cores of a stage.
  hw::Activity of_stage(const std::vector<ItemResult>& items, std::size_t stage) {
    hw::Activity sum;
    hw::add(without_collectives(items), stages_.all()[stage].cores, sum);
    for_each_collective(
        items, [&](int collective, std::int64_t times) { hw::add(of_all_cores(collective, stage), times, sum); });
    return sum;
  }

 private:
  const compiler::ProgramItem& item_of(const ItemResult& result) const {
    return program_.items[std::size_t(result.item)];
  }

  /// Whether an item is a collective that starts; its end does nothing.
  static bool is_collective(const compiler::ProgramItem& item) {
    return item.kind == compiler::ProgramItem::Kind::collective && item.phase != hlo::AsyncPhase::done;
  }

  template <class Visit>
  void for_each_collective(const std::vector<ItemResult>& items, const Visit& visit) const {
    for (const ItemResult& result : items) {
      const compiler::ProgramItem& item = item_of(result);
      if (is_collective(item)) visit(item.index, result.times);
    }
  }

  hw::Activity without_collectives(const std::vector<ItemResult>& items) {
    hw::Activity sum;
    for (const ItemResult& result : items) hw::add(of_own(item_of(result)), result.times, sum);
    return sum;
  }

  /// What an execution of an item does; nothing for collectives, which cores do together.
  hw::Activity of_own(const compiler::ProgramItem& item) {
    if (item.phase == hlo::AsyncPhase::done) return {};
    switch (item.kind) {
      case compiler::ProgramItem::Kind::op:
        return item.phase == hlo::AsyncPhase::none ? of_op(item.index) : as_transfers(of_op(item.index));
      case compiler::ProgramItem::Kind::infeed:
        return of_infeed(program_.infeeds[std::size_t(item.index)]);
      case compiler::ProgramItem::Kind::outfeed:
        return of_outfeed(program_.outfeeds[std::size_t(item.index)]);
      case compiler::ProgramItem::Kind::collective:
      case compiler::ProgramItem::Kind::repeat:
        break;
    }
    return {};
  }

  const hw::Activity& of_op(int op) {
    std::optional<hw::Activity>& known = ops_[std::size_t(op)];
    if (!known) known = hw::activity(machine_, program_.ops[std::size_t(op)].tiles);
    return *known;
  }

  static hw::Activity as_transfers(hw::Activity op) {
    op.transfer_read = std::exchange(op.op_read, {});
    op.transfer_written = std::exchange(op.op_written, {});
    return op;
  }

  CollectiveActivity& activity_of(int collective) {
    const CollectiveSchedule& schedule = *schedules_[std::size_t(collective)];
    return collectives_.try_emplace(&schedule, machine_, schedule).first->second;
  }

  const hw::Activity& of_all_cores(int collective, std::size_t stage) {
    const auto [known, is_new] = of_stages_.try_emplace({schedules_[std::size_t(collective)].get(), stage});
    if (is_new) known->second = sum_of(collective, stage);
    return known->second;
  }

  /// What is taken by formula is not invariant under the folding: its cores are counted one by one.
  hw::Activity sum_of(int collective, std::size_t stage) {
    const bool folds = !fold_.by_formula.contains(collective);
    const noc::Topology &slice = fold_.topology.full(), &simulated = fold_.topology.representatives();
    const noc::NodeId chips = folds ? simulated.nodes() : slice.nodes();
    const auto cores = std::int32_t(machine_.cores_per_chip);
    hw::Activity sum;
    for (noc::NodeId chip = 0; chip < chips; ++chip) {
      const noc::NodeId number = folds ? fold_.topology.full_node_of(chip) : chip;
      for (std::int32_t core = number * cores; core < (number + 1) * cores; ++core) {
        if (stages_.of(core) == stage) hw::add(activity_of(collective).of(core), slice.nodes() / chips, sum);
      }
    }
    return sum;
  }

  const compiler::Program& program_;
  const TargetMachine& machine_;
  const pod::CollectiveSchedules& schedules_;
  const pod::Fold& fold_;
  const Stages& stages_;
  std::vector<std::optional<hw::Activity>> ops_;  ///< by index into Program::ops
  std::map<const CollectiveSchedule*, CollectiveActivity> collectives_;
  std::map<std::pair<const CollectiveSchedule*, std::size_t>, hw::Activity> of_stages_;
};

}  // namespace

StepActivity step_activity(const compiler::Program& program, const TargetMachine& machine,
                           const pod::CollectiveSchedules& schedules, const pod::Fold& fold,
                           const Observation& observation) {
  const Stages& stages = observation.stages();
  CountedItems items(program, machine, schedules, fold, stages);
  StepActivity step = items.of_core(observation.reported_items(), observation.reported_core());
  for (std::size_t stage = 0; stage < stages.all().size(); ++stage) {
    hw::add(items.of_stage(observation.items_of_stage(stage), stage), 1, step.slice);
  }
  return step;
}

}  // namespace podsim::sw::runtime
