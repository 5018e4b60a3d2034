// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/loop_body.h"

#include <algorithm>
#include <optional>

#include "sw/codegen/registers/scalar_values.h"
#include "sw/codegen/schedule/register_renaming.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;
using hw::isa::SlotKind;

namespace {

std::int32_t add(std::int32_t a, std::int32_t b) { return std::int32_t(std::uint32_t(a) + std::uint32_t(b)); }
std::int32_t negate(std::int32_t a) { return std::int32_t(0U - std::uint32_t(a)); }

/// Returns the step of an operation that adds a literal to the register, or std::nullopt.
std::optional<std::int32_t> step_of(const registers::Operation& operation, registers::Register reg) {
  if (operation.conditional() || !operation.y.literal || !(operation.x.reg == reg)) return std::nullopt;
  if (operation.opcode == hw::isa::Opcode::s_add) return operation.y.value;
  if (operation.opcode == hw::isa::Opcode::s_sub) return negate(operation.y.value);
  return std::nullopt;
}

/// Returns the registers that the body writes only once, by a step, with their steps.
std::map<int, std::int32_t> find_inductions(const std::vector<registers::Operation>& operations) {
  std::unordered_map<int, int> writes;
  std::map<int, std::int32_t> steps;
  for (const registers::Operation& operation : operations) {
    const auto reg = registers::written_register(operation);
    if (!reg) continue;
    ++writes[reg->number()];
    if (auto step = step_of(operation, *reg)) steps[reg->number()] = *step;
  }
  std::erase_if(steps, [&](const auto& entry) { return writes[entry.first] != 1; });
  return steps;
}

/// Returns true if an operation adds a literal y to its operand x.
bool adjustable(const registers::Operation& operation) {
  const hw::isa::SlotKind slot = operation.info().slot;
  const bool adds = slot == hw::isa::SlotKind::load || slot == hw::isa::SlotKind::store ||
                    operation.opcode == hw::isa::Opcode::s_load || operation.opcode == hw::isa::Opcode::s_store ||
                    operation.opcode == hw::isa::Opcode::s_add;
  return adds && operation.y.literal;
}

/// Removes the steps of inductions from the body, and rewrites its reads of inductions.
class InductionRewriting {
 public:
  InductionRewriting(LoopBody& body, RegisterSource& registers) : body_(body), registers_(registers) {}

  void run() {
    std::vector<registers::Operation> old;
    old.swap(body_.operations);
    for (registers::Operation& operation : old) {
      const auto written = registers::written_register(operation);
      if (written && body_.inductions.contains(written->number())) {
        stepped_.insert(*written);
      } else {
        rewrite(operation);
      }
    }
  }

 private:
  bool is_induction(const registers::Operand& operand) const {
    return !operand.literal && body_.inductions.contains(operand.reg.number());
  }

  /// Returns the amount by which the register has been stepped in this iteration.
  std::int32_t gained(registers::Register reg) const {
    return stepped_.contains(reg) ? body_.inductions.at(reg.number()) : 0;
  }

  void rewrite(registers::Operation& operation) {
    if (operation.opcode == hw::isa::Opcode::s_mov && is_induction(operation.y)) {
      operation.opcode = hw::isa::Opcode::s_add;
      operation.x = operation.y;
      operation.y = registers::Operand::of(0);
    }
    if (operation.opcode == hw::isa::Opcode::s_sub && operation.y.literal && is_induction(operation.x)) {
      operation.opcode = hw::isa::Opcode::s_add;
      operation.y.value = negate(operation.y.value);
    }
    const bool fits = adjustable(operation) && is_induction(operation.x);
    if (fits) operation.y.value = add(operation.y.value, gained(operation.x.reg));
    for_each_register(operation, [&](registers::Register& reg) {
      if (!body_.inductions.contains(reg.number()) || (fits && &reg == &operation.x.reg)) return;
      reg = current_value(reg);
    });
    body_.operations.push_back(operation);
  }

  /// Returns a new register with the induction's value.
  registers::Register current_value(registers::Register reg) {
    registers::Operation copy;
    copy.opcode = hw::isa::Opcode::s_add;
    copy.destination = registers_.make(registers::RegisterClass::scalar);
    copy.x = registers::Operand::of(reg);
    copy.y = registers::Operand::of(gained(reg));
    body_.renamed.insert(copy.destination);
    body_.operations.push_back(copy);
    return copy.destination;
  }

  LoopBody& body_;
  RegisterSource& registers_;
  registers::RegisterSet stepped_;
};

}  // namespace

LoopBody prepare_loop_body(const Region& region, RegisterSource& registers) {
  LoopBody body{region.operations, {}, {}};
  std::erase_if(body.operations, [](const registers::Operation& o) { return o.opcode == hw::isa::Opcode::mark; });
  rename_values(body.operations, region.live_around, registers);
  registers::fold_addresses(body.operations);
  drop_needless(body.operations, region.live_around);
  for (const registers::Operation& operation : body.operations) {
    const auto reg = registers::written_register(operation);
    if (reg && !region.live_around.contains(*reg)) body.renamed.insert(*reg);
  }
  body.inductions = find_inductions(body.operations);
  InductionRewriting(body, registers).run();
  return body;
}

bool follows_induction(const LoopBody& body, const registers::Operation& operation) {
  return adjustable(operation) && !operation.x.literal && body.inductions.contains(operation.x.reg.number());
}

}  // namespace podsim::sw::codegen::schedule
