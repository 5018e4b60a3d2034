// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/latency.h"

namespace podsim::hw::isa {

base::Cycles result_latency(const Machine& machine, Opcode opcode) {
  const OpcodeInfo& row = info(opcode);
  if (opcode == Opcode::s_load) return machine.scalar.load_latency;
  if (opcode == Opcode::s_loop) return machine.scalar.alu_latency;
  if (row.destination == OperandKind::none || row.reads_destination) return base::Cycles(0);
  switch (row.slot) {
    case SlotKind::vector:
      return machine.vector.alu_latency;
    case SlotKind::load:
      return machine.vector.load_latency;
    default:
      return machine.scalar.alu_latency;
  }
}

}  // namespace podsim::hw::isa
