// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/bundle_activity.h"

namespace podsim::hw::bundle {
namespace {

std::int64_t of_kind(const OpcodeCounts& performed, isa::SlotKind kind) {
  std::int64_t sum = 0;
  for (const isa::OpcodeInfo& info : isa::opcode_table()) {
    if (info.slot == kind) sum += performed[std::size_t(info.opcode)];
  }
  return sum;
}

bool is_transcendental(isa::Opcode opcode) { return opcode >= isa::Opcode::e_exp && opcode <= isa::Opcode::e_recip; }
bool is_cross_lane(isa::Opcode opcode) {
  return opcode >= isa::Opcode::x_rotate_lanes && opcode <= isa::Opcode::x_transpose_end;
}

}  // namespace

Activity bundle_activity(const Machine& machine, const BundleRunResult& run) {
  using enum isa::Opcode;
  const auto count = [&](isa::Opcode opcode) { return run.performed[std::size_t(opcode)]; };
  Activity activity;
  auto& vector = activity.units.of<Vector>();
  for (const isa::OpcodeInfo& info : isa::opcode_table()) {
    if (is_transcendental(info.opcode)) vector.transcendentals += count(info.opcode);
    if (is_cross_lane(info.opcode)) activity.units.of<CrossLane>().operations += count(info.opcode);
  }
  vector.alu_operations = of_kind(run.performed, isa::SlotKind::vector) - vector.transcendentals;
  vector.loads = of_kind(run.performed, isa::SlotKind::load);
  vector.stores = of_kind(run.performed, isa::SlotKind::store);
  auto& mxu = activity.units.of<Mxu>();
  mxu.cell_cycles = count(mxu_lhs) * machine.vector.sublanes * machine.mxu.size * machine.mxu.size;
  mxu.multiply_accumulates = mxu.cell_cycles;
  mxu.weight_tiles = count(mxu_latch);
  mxu.operand_registers = count(mxu_lhs) + count(mxu_weights) + count(mxu_weights_transposed);
  const base::Bytes per_register = machine.vector.register_bytes();
  activity.op_read = run.hbm_read;
  activity.op_written = run.hbm_written;
  const std::int64_t row = machine.dram.organization.row.value();
  activity.op_rows =
      base::divide_round_up(run.hbm_read.value(), row) + base::divide_round_up(run.hbm_written.value(), row);
  activity.vmem_read = vector.loads * per_register + run.hbm_written;
  activity.vmem_written = vector.stores * per_register + run.hbm_read;
  activity.descriptors = run.dmas;
  return activity;
}

}  // namespace podsim::hw::bundle
