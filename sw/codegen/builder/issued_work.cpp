// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/issued_work.h"

#include <utility>

namespace podsim::sw::codegen::builder {

namespace {

using Op = hw::isa::Opcode;

void count(const hw::isa::Instruction& instruction, hw::TilePhase& work) {
  switch (hw::isa::info(instruction.opcode).slot) {
    case hw::isa::SlotKind::load:
      ++work.of<hw::Vector>().loads;
      break;
    case hw::isa::SlotKind::store:
      ++work.of<hw::Vector>().stores;
      break;
    case hw::isa::SlotKind::vector:
      ++work.of<hw::Vector>().alu_ops;
      if (instruction.opcode >= Op::e_exp && instruction.opcode <= Op::e_recip) ++work.of<hw::Vector>().transcendentals;
      break;
    case hw::isa::SlotKind::push:
      if (instruction.opcode >= Op::x_rotate_lanes && instruction.opcode <= Op::x_transpose_end)
        ++work.of<hw::CrossLane>().operations;
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

hw::TilePhase times(std::int64_t times, const hw::TilePhase& phase) {
  hw::TilePhase product = phase;
  hw::TilePhase::for_each_count([&](auto& count) { count = times * count; }, product);
  return product;
}

hw::TilePhase sum(const hw::TilePhase& a, const hw::TilePhase& b) {
  hw::TilePhase sum = a;
  hw::TilePhase::for_each_count([](auto& count, const auto& more) { count += more; }, sum, b);
  return sum;
}

std::vector<hw::TilePhase> loop_phases(std::int64_t count, const hw::TilePhase& iteration) {
  if (iteration.of<hw::CrossLane>() == hw::CrossLaneWork()) return {times(count, iteration)};
  const hw::TilePhase first(iteration.of<hw::Vector>());
  return {first, sum(times(count, iteration), times(-1, first))};
}

}  // namespace podsim::sw::codegen::builder
