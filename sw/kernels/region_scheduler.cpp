// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/region_scheduler.h"

#include <algorithm>

#include "sw/kernels/bundle_packer.h"
#include "sw/kernels/in_order_scheduler.h"
#include "sw/kernels/list_scheduler.h"
#include "sw/kernels/register_renaming.h"
#include "sw/kernels/scalar_values.h"

namespace podsim::sw {

using hw::isa::Opcode;

namespace {

/// Registers there are of each class, less what caution keeps back.
RegisterBudget budget_of(Caution caution) {
  const int back = caution.level;
  return {hw::isa::scalar_registers - 1 - 2 * back, hw::isa::vector_registers - 4 * back,
          hw::isa::mask_registers - 1 - back, hw::isa::predicate_registers - 1 - back};
}

Block schedule_straight(const hw::Machine& machine, const Region& region, Caution caution, RegisterSource& registers) {
  if (caution.level >= Caution::in_order) return schedule_in_order(machine, region.operations);
  std::vector<Operation> operations = region.operations;
  rename_values(operations, region.live_out, registers);
  fold_addresses(operations);
  drop_needless(operations, region.live_out);
  const DependenceGraph graph = find_dependences({machine, operations, region.fifos});
  auto block = schedule_list({machine, operations, graph, region.live_in, region.live_out, budget_of(caution)});
  return block ? *block : schedule_in_order(machine, region.operations);
}

/// A loop whose iterations do not overlap after all.
BlockList schedule_plain_loop(const hw::Machine& machine, const Region& region, Caution caution,
                              RegisterSource& registers) {
  Operation start;
  start.opcode = Opcode::s_mov;
  start.destination = registers.make(RegisterClass::scalar);
  start.y = region.loop->trips;
  Operation again;
  again.opcode = Opcode::s_loop;
  again.x = Operand::of(start.destination);
  again.y = Operand::of(unknown_target);
  Region body = region;
  body.operations.push_back(again);
  body.live_out = region.live_around;
  body.live_out.insert(start.destination);
  BlockList blocks{schedule_in_order(machine, {start}), schedule_straight(machine, body, caution, registers)};
  blocks.back().target = 1;
  return blocks;
}

}  // namespace

BlockList schedule_region(const hw::Machine& machine, const Region& region, Caution caution,
                          RegisterSource& registers) {
  if (region.loop) return schedule_plain_loop(machine, region, caution, registers);
  return {schedule_straight(machine, region, caution, registers)};
}

}  // namespace podsim::sw
