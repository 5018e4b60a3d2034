// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/bundle_packer.h"

#include "hw/isa/encoding.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Slot;

namespace {

bool enters_transcendental_unit(const std::optional<hw::isa::Instruction>& instruction) {
  return instruction && instruction->opcode >= hw::isa::Opcode::e_exp &&
         instruction->opcode <= hw::isa::Opcode::e_recip;
}

/// The path to the scalar unit gives a word per cycle.
bool pops_scalar(const std::optional<hw::isa::Instruction>& instruction) {
  return instruction && instruction->opcode == hw::isa::Opcode::s_pop;
}

int slot_that_differs(const hw::isa::Bundle& before, const hw::isa::Bundle& after) {
  for (int s = 0; s < hw::isa::slots; ++s) {
    if (before[hw::isa::Slot(s)].has_value() != after[hw::isa::Slot(s)].has_value()) return s;
  }
  return -1;
}

}  // namespace

void BundlePacker::extend_to(int cycles) {
  if (std::size_t(cycles) <= bundles_.size()) return;
  bundles_.resize(std::size_t(cycles));
  rows_.resize(std::size_t(cycles));
}

int BundlePacker::place(int cycle, const registers::Operation& operation, int number) {
  extend_to(cycle + 1);
  hw::isa::Bundle& bundle = bundles_[std::size_t(cycle)];
  if (hw::isa::is_branch(operation.opcode) && bundle[hw::isa::Slot::scalar0]) return -1;
  const hw::isa::Instruction instruction = registers::to_instruction(operation, [](registers::Register) { return 0; });
  if (enters_transcendental_unit(instruction) && (enters_transcendental_unit(bundle[hw::isa::Slot::vector0]) ||
                                                  enters_transcendental_unit(bundle[hw::isa::Slot::vector1]))) {
    return -1;
  }
  if (pops_scalar(instruction) &&
      (pops_scalar(bundle[hw::isa::Slot::scalar0]) || pops_scalar(bundle[hw::isa::Slot::scalar1]))) {
    return -1;
  }
  hw::isa::Bundle with = bundle;
  if (!hw::isa::place(with, instruction)) return -1;
  const int slot = slot_that_differs(bundle, with);
  bundle = with;
  rows_[std::size_t(cycle)].operation[std::size_t(slot)] = number;
  return slot;
}

void BundlePacker::remove(int cycle, int slot) {
  bundles_[std::size_t(cycle)][hw::isa::Slot(slot)].reset();
  rows_[std::size_t(cycle)].operation[std::size_t(slot)] = -1;
}

}  // namespace podsim::sw::codegen::schedule
