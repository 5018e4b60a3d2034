// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/bundle_emitter.h"

#include <cassert>

#include "hw/isa/encoding.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Bundle;
using hw::isa::Slot;

namespace {

std::vector<std::int32_t> addresses_of(const registers::BlockList& blocks) {
  std::vector<std::int32_t> addresses;
  std::size_t address = 0;
  for (const registers::Block& block : blocks) {
    addresses.push_back(std::int32_t(address));
    address += block.rows.size() + std::size_t(block.settle);
  }
  addresses.push_back(std::int32_t(address));
  return addresses;
}

hw::isa::Bundle to_bundle(const registers::Block& block, const registers::Row& row,
                          const registers::RegisterNumbers& registers, std::int32_t target) {
  const auto number = [&](registers::Register reg) {
    return reg.constant() ? 0 : registers[std::size_t(reg.number())];
  };
  hw::isa::Bundle bundle;
  for (int s = 0; s < hw::isa::slots; ++s) {
    const int index = row.operation[std::size_t(s)];
    if (index < 0) continue;
    const registers::Operation& operation = block.operations[std::size_t(index)];
    hw::isa::Instruction instruction = registers::to_instruction(operation, number);
    if (hw::isa::is_branch(operation.opcode)) instruction.y = hw::isa::Value::of(target);
    bundle[hw::isa::Slot(s)] = instruction;
  }
  assert(!hw::isa::problem(bundle));
  return bundle;
}

}  // namespace

std::vector<hw::isa::Bundle> emit_bundles(const registers::BlockList& blocks,
                                          const registers::RegisterNumbers& registers) {
  const std::vector<std::int32_t> addresses = addresses_of(blocks);
  std::vector<hw::isa::Bundle> bundles;
  for (const registers::Block& block : blocks) {
    const std::int32_t target = block.target < 0 ? 0 : addresses[std::size_t(block.target)];
    for (const registers::Row& row : block.rows) bundles.push_back(to_bundle(block, row, registers, target));
    bundles.resize(bundles.size() + std::size_t(block.settle));
  }
  hw::isa::Bundle halt;
  halt[hw::isa::Slot::misc] = hw::isa::Instruction{hw::isa::Opcode::halt, {}, 0, {}, {}, {}, 0, 0};
  bundles.push_back(halt);
  return bundles;
}

}  // namespace podsim::sw::codegen::schedule
