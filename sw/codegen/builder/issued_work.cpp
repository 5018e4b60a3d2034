// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/issued_work.h"

#include <utility>

namespace podsim::sw::codegen::builder {

namespace {

using Op = hw::isa::Opcode;

void count(const hw::isa::Instruction& instruction, hw::TilePhase& work) {
  switch (hw::isa::info(instruction.opcode).slot) {
    case hw::isa::SlotKind::load:
      ++work.vector.loads;
      break;
    case hw::isa::SlotKind::store:
      ++work.vector.stores;
      break;
    case hw::isa::SlotKind::vector:
      ++work.vector.alu_ops;
      if (instruction.opcode >= Op::e_exp && instruction.opcode <= Op::e_recip) ++work.vector.transcendentals;
      break;
    case hw::isa::SlotKind::push:
      if (instruction.opcode >= Op::x_rotate_lanes && instruction.opcode <= Op::x_transpose_end) ++work.cross_lane_ops;
      break;
    case hw::isa::SlotKind::scalar:
    case hw::isa::SlotKind::pop:
    case hw::isa::SlotKind::misc:
      break;
  }
}

}  // namespace

hw::TilePhase issued_work(const hw::Machine& machine, const std::function<void(KernelBuilder&)>& code) {
  KernelBuilder builder(machine, "work");
  code(builder);
  hw::TilePhase work;
  for (const hw::isa::Segment& segment : std::move(builder).finish().segments) {
    for (const hw::isa::Bundle& bundle : segment.bundles) {
      for (const auto& instruction : bundle.slot) {
        if (instruction) count(*instruction, work);
      }
    }
  }
  return work;
}

hw::TilePhase repeated_work(const hw::Machine& machine,
                            const std::function<void(KernelBuilder&, std::int64_t repeats)>& code) {
  const hw::TilePhase once = issued_work(machine, [&](KernelBuilder& builder) { code(builder, 1); });
  const hw::TilePhase twice = issued_work(machine, [&](KernelBuilder& builder) { code(builder, 2); });
  return sum(twice, times(-1, once));
}

hw::TilePhase times(std::int64_t count, const hw::TilePhase& phase) {
  return {{},
          {.loads = count * phase.vector.loads,
           .stores = count * phase.vector.stores,
           .alu_ops = count * phase.vector.alu_ops,
           .transcendentals = count * phase.vector.transcendentals},
          count * phase.cross_lane_ops};
}

hw::TilePhase sum(const hw::TilePhase& a, const hw::TilePhase& b) {
  return {{},
          {.loads = a.vector.loads + b.vector.loads,
           .stores = a.vector.stores + b.vector.stores,
           .alu_ops = a.vector.alu_ops + b.vector.alu_ops,
           .transcendentals = a.vector.transcendentals + b.vector.transcendentals},
          a.cross_lane_ops + b.cross_lane_ops};
}

std::vector<hw::TilePhase> loop_phases(std::int64_t count, const hw::TilePhase& iteration) {
  if (iteration.cross_lane_ops == 0) return {times(count, iteration)};
  const hw::TilePhase first{{}, iteration.vector, 0};
  return {first, sum(times(count, iteration), times(-1, first))};
}

}  // namespace podsim::sw::codegen::builder
