// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/region_scheduler.h"

#include <algorithm>

#include "sw/kernels/bundle_packer.h"
#include "sw/kernels/in_order_scheduler.h"
#include "sw/kernels/list_scheduler.h"
#include "sw/kernels/pipelined_loop.h"
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

/// The body as a plain loop that counts down a register.
Block schedule_plain_loop(const hw::Machine& machine, const Region& region, Register counter, Caution caution,
                          RegisterSource& registers) {
  Operation again;
  again.opcode = Opcode::s_loop;
  again.x = Operand::of(counter);
  again.y = Operand::of(unknown_target);
  Region body = region;
  body.operations.push_back(again);
  body.live_in.insert(counter);
  body.live_out = region.live_around;
  body.live_out.insert(counter);
  return schedule_straight(machine, body, caution, registers);
}

BlockList schedule_loop(const hw::Machine& machine, const Region& region, Caution caution, RegisterSource& registers) {
  const Register counter = registers.make(RegisterClass::scalar);
  Block plain = schedule_plain_loop(machine, region, counter, caution, registers);
  if (caution.level < Caution::in_order) {
    if (auto blocks = overlap_iterations({machine, region, budget_of(caution), plain, counter}, registers)) {
      return *blocks;
    }
  }
  Operation start;
  start.opcode = Opcode::s_mov;
  start.destination = counter;
  start.y = region.loop->trips;
  plain.target = 1;
  return {schedule_in_order(machine, {start}), plain};
}

}  // namespace

BlockList schedule_region(const hw::Machine& machine, const Region& region, Caution caution,
                          RegisterSource& registers) {
  if (region.loop) return schedule_loop(machine, region, caution, registers);
  return {schedule_straight(machine, region, caution, registers)};
}

}  // namespace podsim::sw
