// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/sequential_time.h"

#include <map>
#include <optional>

#include "hw/host/host_copy_timing.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/compiler/collective_op.h"
#include "sw/compiler/op_costs.h"
#include "sw/runtime/program_cursor.h"

namespace podsim::sw::runtime {

namespace {

/// Adds up the items of one step.
class StepSum {
 public:
  StepSum(const compiler::Program& program, const hw::Machine& machine, const noc::Topology& slice,
          compiler::OpCache* cache)
      : program_(program),
        machine_(machine),
        slice_(slice),
        costs_(machine, cache),
        times_(machine),
        ops_(program.ops.size()),
        collectives_(program.collectives.size()) {}

  base::Time time_of(const compiler::ProgramItem& item) {
    if (item.phase == ir::AsyncPhase::done) return {};
    switch (item.kind) {
      case compiler::ProgramItem::Kind::op:
        return op(item.index);
      case compiler::ProgramItem::Kind::collective:
        return collective(item.index);
      case compiler::ProgramItem::Kind::infeed:
        return copy(program_.infeeds[std::size_t(item.index)]);
      case compiler::ProgramItem::Kind::outfeed:
        return copy(program_.outfeeds[std::size_t(item.index)]);
      case compiler::ProgramItem::Kind::repeat:
        break;
    }
    return {};
  }

 private:
  base::Time op(int index) {
    std::optional<base::Time>& known = ops_[std::size_t(index)];
    if (!known) {
      known = machine_.core_clock().time_of(costs_.simulate(program_.ops[std::size_t(index)].tiles).cycles);
    }
    return *known;
  }

  base::Time collective(int index) {
    std::optional<base::Time>& known = collectives_[std::size_t(index)];
    if (!known) {
      const compiler::CollectiveOp& op = program_.collectives[std::size_t(index)];
      const collectives::CollectiveGroups groups =
          op.groups.empty() ? collectives::CollectiveGroups::all(slice_, int(machine_.cores_per_chip))
                            : collectives::CollectiveGroups(op.groups);
      known = base::to_time(times_.least_time(slice_, groups, compiler::request_of(op)));
    }
    return *known;
  }

  base::Time copy(const compiler::HostTransfer& transfer) const {
    if (transfer.in_place) return {};
    return machine_.core_clock().time_of(hw::host::host_copy_cycles(machine_, transfer.bytes, transfer.tensors));
  }

  const compiler::Program& program_;
  const hw::Machine& machine_;
  const noc::Topology& slice_;
  compiler::OpCosts costs_;
  collectives::engine::CollectiveTimes times_;
  std::vector<std::optional<base::Time>> ops_, collectives_;
};

}  // namespace

base::Time sequential_time(const compiler::Program& program, const hw::Machine& machine, const noc::Topology& slice,
                           compiler::OpCache* cache) {
  StepSum sum(program, machine, slice, cache);
  base::Time time;
  for (ProgramCursor at(program); !at.at_end_of_step(); at.advance()) {
    time += sum.time_of(program.items[std::size_t(at.item())]);
  }
  return time;
}

base::Time all_reduce_time(const hw::Machine& machine, const noc::Topology& slice, std::int64_t numbers) {
  const auto groups = collectives::CollectiveGroups::all(slice, int(machine.cores_per_chip));
  return base::to_time(collectives::engine::CollectiveTimes(machine).least_time(
      slice, groups, {collectives::CollectiveKind::all_reduce, ir::ElementType::f32, numbers}));
}

}  // namespace podsim::sw::runtime
