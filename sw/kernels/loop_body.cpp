// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/loop_body.h"

#include <algorithm>
#include <optional>

#include "sw/kernels/register_renaming.h"
#include "sw/kernels/scalar_values.h"

namespace podsim::sw {

using hw::isa::Opcode;
using hw::isa::SlotKind;

namespace {

std::int32_t add(std::int32_t a, std::int32_t b) { return std::int32_t(std::uint32_t(a) + std::uint32_t(b)); }
std::int32_t negate(std::int32_t a) { return std::int32_t(0U - std::uint32_t(a)); }

/// By how much an operation that reads and writes the register steps it.
std::optional<std::int32_t> step_of(const Operation& operation, Register reg) {
  if (operation.conditional() || !operation.y.literal || !(operation.x.reg == reg)) return std::nullopt;
  if (operation.opcode == Opcode::s_add) return operation.y.value;
  if (operation.opcode == Opcode::s_sub) return negate(operation.y.value);
  return std::nullopt;
}

/// Registers that the body writes once, by a step.
std::map<int, std::int32_t> find_inductions(const std::vector<Operation>& operations) {
  std::unordered_map<int, int> writes;
  std::map<int, std::int32_t> steps;
  for (const Operation& operation : operations) {
    const auto reg = written_register(operation);
    if (!reg) continue;
    ++writes[reg->number()];
    if (auto step = step_of(operation, *reg)) steps[reg->number()] = *step;
  }
  std::erase_if(steps, [&](const auto& entry) { return writes[entry.first] != 1; });
  return steps;
}

/// Whether x of an operation is followed by a literal that adds to it.
bool adjustable(const Operation& operation) {
  const SlotKind slot = operation.info().slot;
  const bool adds = slot == SlotKind::load || slot == SlotKind::store || operation.opcode == Opcode::s_load ||
                    operation.opcode == Opcode::s_store || operation.opcode == Opcode::s_add;
  return adds && operation.y.literal;
}

/// Takes the steps out of the body and gives its reads of inductions the form that they need.
class InductionRewriting {
 public:
  InductionRewriting(LoopBody& body, RegisterSource& registers) : body_(body), registers_(registers) {}

  void run() {
    std::vector<Operation> old;
    old.swap(body_.operations);
    for (Operation& operation : old) {
      const auto written = written_register(operation);
      if (written && body_.inductions.contains(written->number())) {
        stepped_.insert(*written);
      } else {
        rewrite(operation);
      }
    }
  }

 private:
  bool is_induction(const Operand& operand) const {
    return !operand.literal && body_.inductions.contains(operand.reg.number());
  }

  /// What the register has gained in this iteration.
  std::int32_t gained(Register reg) const { return stepped_.contains(reg) ? body_.inductions.at(reg.number()) : 0; }

  void rewrite(Operation& operation) {
    if (operation.opcode == Opcode::s_mov && is_induction(operation.y)) {
      operation.opcode = Opcode::s_add;
      operation.x = operation.y;
      operation.y = Operand::of(0);
    }
    if (operation.opcode == Opcode::s_sub && operation.y.literal && is_induction(operation.x)) {
      operation.opcode = Opcode::s_add;
      operation.y.value = negate(operation.y.value);
    }
    const bool fits = adjustable(operation) && is_induction(operation.x);
    if (fits) operation.y.value = add(operation.y.value, gained(operation.x.reg));
    for_each_register(operation, [&](Register& reg) {
      if (!body_.inductions.contains(reg.number()) || (fits && &reg == &operation.x.reg)) return;
      reg = current_value(reg);
    });
    body_.operations.push_back(operation);
  }

  /// The induction's value in a register of its own.
  Register current_value(Register reg) {
    Operation copy;
    copy.opcode = Opcode::s_add;
    copy.destination = registers_.make(RegisterClass::scalar);
    copy.x = Operand::of(reg);
    copy.y = Operand::of(gained(reg));
    body_.renamed.insert(copy.destination);
    body_.operations.push_back(copy);
    return copy.destination;
  }

  LoopBody& body_;
  RegisterSource& registers_;
  RegisterSet stepped_;
};

}  // namespace

LoopBody prepare_loop_body(const Region& region, RegisterSource& registers) {
  LoopBody body{region.operations, {}, {}};
  std::erase_if(body.operations, [](const Operation& o) { return o.opcode == Opcode::mark; });
  rename_values(body.operations, region.live_around, registers);
  fold_addresses(body.operations);
  drop_needless(body.operations, region.live_around);
  for (const Operation& operation : body.operations) {
    const auto reg = written_register(operation);
    if (reg && !region.live_around.contains(*reg)) body.renamed.insert(*reg);
  }
  body.inductions = find_inductions(body.operations);
  InductionRewriting(body, registers).run();
  return body;
}

bool follows_induction(const LoopBody& body, const Operation& operation) {
  return adjustable(operation) && !operation.x.literal && body.inductions.contains(operation.x.reg.number());
}

}  // namespace podsim::sw
