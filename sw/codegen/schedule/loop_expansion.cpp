// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/loop_expansion.h"

#include <algorithm>

#include "base/units.h"
#include "sw/codegen/schedule/register_renaming.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;

bool BlockWriter::place(int row, const registers::Operation& operation) {
  if (packer_.place(row, operation, int(operations_.size())) < 0) return false;
  operations_.push_back(operation);
  return true;
}

int BlockWriter::place_from(int row, const registers::Operation& operation) {
  while (!place(row, operation)) ++row;
  return row;
}

bool LoopExpansion::write(const Window& window, BlockWriter& writer, int row) {
  last_read_.clear();
  writer.extend_to(row + window.to - window.from);
  for (int i = window.first_iteration; i < window.end; ++i) {
    for (std::size_t o = 0; o < body_.operations.size(); ++o) {
      const int cycle = schedule_.cycle[o] + i * schedule_.interval;
      if (cycle < window.from || cycle >= window.to) continue;
      const registers::Operation operation = in_iteration(body_.operations[o], i, window.base);
      const int at = row + cycle - window.from;
      if (!writer.place(at, operation)) return false;
      if (!follows_induction(body_, operation)) continue;
      int& last = last_read_[operation.x.reg.number()];
      last = std::max(last, at);
    }
  }
  return true;
}

void LoopExpansion::step_inductions(int iterations, const registers::RegisterSet& which, BlockWriter& writer) {
  if (iterations == 0) return;
  which.for_each([&](int number) {
    if (!body_.inductions.contains(number)) return;
    const auto last = last_read_.find(number);
    writer.place_from(last == last_read_.end() ? 0 : last->second,
                      step(registers::Register::from_number(number), iterations));
  });
}

registers::Operation LoopExpansion::step(registers::Register induction, std::int32_t iterations) const {
  registers::Operation operation;
  operation.opcode = hw::isa::Opcode::s_add;
  operation.destination = induction;
  operation.x = registers::Operand::of(induction);
  const auto step = std::uint32_t(body_.inductions.at(induction.number()));
  operation.y = registers::Operand::of(std::int32_t(step * std::uint32_t(iterations)));
  return operation;
}

registers::Operation LoopExpansion::in_iteration(const registers::Operation& operation, int iteration, int base) {
  registers::Operation result = operation;
  if (follows_induction(body_, operation)) {
    const auto step = std::uint32_t(body_.inductions.at(operation.x.reg.number()));
    result.y.value = std::int32_t(std::uint32_t(operation.y.value) + step * std::uint32_t(iteration - base));
  }
  for_each_register(result, [&](registers::Register& reg) {
    if (body_.renamed.contains(reg)) reg = name(reg, iteration);
  });
  return result;
}

registers::Register LoopExpansion::name(registers::Register reg, int iteration) {
  std::vector<registers::Register>& names = names_[reg.number()];
  if (names.empty()) names.push_back(reg);
  while (int(names.size()) < copies_) names.push_back(registers_.make(reg.cls()));
  return names[std::size_t(iteration % copies_)];
}

}  // namespace podsim::sw::codegen::schedule
