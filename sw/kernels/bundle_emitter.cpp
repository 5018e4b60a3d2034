// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/bundle_emitter.h"

#include <cassert>

#include "hw/isa/encoding.h"

namespace podsim::sw {

using hw::isa::Bundle;
using hw::isa::Slot;

namespace {

std::vector<std::int32_t> addresses_of(const BlockList& blocks) {
  std::vector<std::int32_t> addresses;
  std::size_t address = 0;
  for (const Block& block : blocks) {
    addresses.push_back(std::int32_t(address));
    address += block.rows.size() + std::size_t(block.settle);
  }
  addresses.push_back(std::int32_t(address));
  return addresses;
}

Bundle to_bundle(const Block& block, const Row& row, const RegisterNumbers& registers, std::int32_t target) {
  const auto number = [&](Register reg) { return reg.constant() ? 0 : registers[std::size_t(reg.number())]; };
  Bundle bundle;
  for (int s = 0; s < hw::isa::slots; ++s) {
    const int index = row.operation[std::size_t(s)];
    if (index < 0) continue;
    const Operation& operation = block.operations[std::size_t(index)];
    hw::isa::Instruction instruction = to_instruction(operation, number);
    if (hw::isa::is_branch(operation.opcode)) instruction.y = hw::isa::Value::of(target);
    bundle[Slot(s)] = instruction;
  }
  assert(!hw::isa::problem(bundle));
  return bundle;
}

}  // namespace

std::vector<Bundle> emit_bundles(const BlockList& blocks, const RegisterNumbers& registers) {
  const std::vector<std::int32_t> addresses = addresses_of(blocks);
  std::vector<Bundle> bundles;
  for (const Block& block : blocks) {
    const std::int32_t target = block.target < 0 ? 0 : addresses[std::size_t(block.target)];
    for (const Row& row : block.rows) bundles.push_back(to_bundle(block, row, registers, target));
    bundles.resize(bundles.size() + std::size_t(block.settle));
  }
  Bundle halt;
  halt[Slot::misc] = hw::isa::Instruction{hw::isa::Opcode::halt, {}, 0, {}, {}, {}, 0, 0};
  bundles.push_back(halt);
  return bundles;
}

}  // namespace podsim::sw
