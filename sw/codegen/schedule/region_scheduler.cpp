// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/region_scheduler.h"

#include <algorithm>

#include "sw/codegen/registers/scalar_values.h"
#include "sw/codegen/schedule/bundle_packer.h"
#include "sw/codegen/schedule/in_order_scheduler.h"
#include "sw/codegen/schedule/list_scheduler.h"
#include "sw/codegen/schedule/pipelined_loop.h"
#include "sw/codegen/schedule/register_renaming.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;

namespace {

/// Returns the number of registers of each class, minus those that the pressure level reserves.
RegisterBudget budget_of(PressureLevel caution) {
  const int back = caution.level;
  return {hw::isa::scalar_registers - 1 - 2 * back, hw::isa::vector_registers - 4 * back,
          hw::isa::mask_registers - 1 - back, hw::isa::predicate_registers - 1 - back};
}

registers::Block schedule_straight(const hw::Machine& machine, const Region& region, PressureLevel caution,
                                   RegisterSource& registers) {
  if (caution.level >= PressureLevel::in_order) return schedule_in_order(machine, region.operations);
  std::vector<registers::Operation> operations = region.operations;
  rename_values(operations, region.live_out, registers);
  registers::fold_addresses(operations);
  drop_needless(operations, region.live_out);
  const DependenceGraph graph = find_dependences({machine, operations, region.fifos});
  auto block = schedule_list({machine, operations, graph, region.live_in, region.live_out, budget_of(caution)});
  return block ? *block : schedule_in_order(machine, region.operations);
}

/// Schedules the body as a plain loop that counts down a register.
registers::Block schedule_plain_loop(const hw::Machine& machine, const Region& region, registers::Register counter,
                                     PressureLevel caution, RegisterSource& registers) {
  registers::Operation again;
  again.opcode = hw::isa::Opcode::s_loop;
  again.x = registers::Operand::of(counter);
  again.y = registers::Operand::of(unknown_target);
  Region body = region;
  body.operations.push_back(again);
  body.live_in.insert(counter);
  body.live_out = region.live_around;
  body.live_out.insert(counter);
  return schedule_straight(machine, body, caution, registers);
}

registers::BlockList schedule_loop(const hw::Machine& machine, const Region& region, PressureLevel caution,
                                   RegisterSource& registers) {
  const registers::Register counter = registers.make(registers::RegisterClass::scalar);
  registers::Block plain = schedule_plain_loop(machine, region, counter, caution, registers);
  if (caution.level < PressureLevel::in_order) {
    if (auto blocks = overlap_iterations({machine, region, budget_of(caution), plain, counter}, registers)) {
      return *blocks;
    }
  }
  registers::Operation start;
  start.opcode = hw::isa::Opcode::s_mov;
  start.destination = counter;
  start.y = region.loop->trips;
  plain.target = 1;
  return {schedule_in_order(machine, {start}), plain};
}

}  // namespace

registers::BlockList schedule_region(const hw::Machine& machine, const Region& region, PressureLevel caution,
                                     RegisterSource& registers) {
  if (region.loop) return schedule_loop(machine, region, caution, registers);
  return {schedule_straight(machine, region, caution, registers)};
}

}  // namespace podsim::sw::codegen::schedule
