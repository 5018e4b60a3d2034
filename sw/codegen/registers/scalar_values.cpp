// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/registers/scalar_values.h"

#include <algorithm>

namespace podsim::sw::codegen::registers {

using hw::isa::Opcode;
using hw::isa::SlotKind;

namespace {

/// Sums wrap, as on the machine.
std::int32_t add(std::int32_t a, std::int32_t b) { return std::int32_t(std::uint32_t(a) + std::uint32_t(b)); }
std::int32_t negate(std::int32_t a) { return std::int32_t(0U - std::uint32_t(a)); }

/// Returns true if x + y is a memory address.
bool addresses_memory(const Operation& operation) {
  const hw::isa::SlotKind slot = operation.info().slot;
  return slot == hw::isa::SlotKind::load || slot == hw::isa::SlotKind::store ||
         operation.opcode == hw::isa::Opcode::s_load || operation.opcode == hw::isa::Opcode::s_store;
}

}  // namespace

int ScalarValues::new_root(Register home, bool entry) const {
  roots_.push_back({home, entry});
  return int(roots_.size()) - 1;
}

ScalarValue ScalarValues::of(Register reg) const {
  if (reg.constant()) return {};
  auto found = values_.find(reg.number());
  if (found == values_.end()) found = values_.emplace(reg.number(), ScalarValue{new_root(reg, true), 0}).first;
  return found->second;
}

ScalarValue ScalarValues::of(const Operand& operand) const {
  return operand.literal ? ScalarValue{0, operand.value} : of(operand.reg);
}

void ScalarValues::perform(const Operation& operation) {
  const auto written = written_register(operation);
  if (!written || written->cls() != RegisterClass::scalar) return;
  std::optional<ScalarValue> value;
  const auto sum = [&](ScalarValue a, std::int32_t distance) { value = {a.root, add(a.offset, distance)}; };
  if (!operation.conditional()) {
    if (operation.opcode == hw::isa::Opcode::s_mov) value = of(operation.y);
    if (operation.opcode == hw::isa::Opcode::s_add) {
      const ScalarValue x = of(operation.x), y = of(operation.y);
      if (y.root == 0) {
        sum(x, y.offset);
      } else if (x.root == 0) {
        sum(y, x.offset);
      }
    }
    if (operation.opcode == hw::isa::Opcode::s_sub && of(operation.y).root == 0) {
      sum(of(operation.x), negate(of(operation.y).offset));
    }
  }
  of(*written);  // makes a root for the register's value on entry if there is none yet
  values_[written->number()] = value ? *value : ScalarValue{new_root(*written, false), 0};
}

std::optional<Register> ScalarValues::entry_register(int root) const {
  const Root& found = roots_[std::size_t(root)];
  return found.entry ? std::optional(found.home) : std::nullopt;
}

std::optional<Register> ScalarValues::home(int root) const {
  return root == 0 ? std::nullopt : std::optional(roots_[std::size_t(root)].home);
}

Addresses find_addresses(const std::vector<Operation>& operations, const std::map<int, std::int32_t>& inductions) {
  ScalarValues values;
  Addresses addresses;
  for (const Operation& operation : operations) {
    std::optional<ScalarValue> address;
    if (addresses_memory(operation) && operation.y.literal) {
      const ScalarValue base = values.of(operation.x);
      address = ScalarValue{base.root, add(base.offset, operation.y.value)};
    }
    addresses.of.push_back(address);
    values.perform(operation);
  }
  addresses.steps[0] = 0;
  for (const auto& address : addresses.of) {
    if (!address) continue;
    const auto reg = values.entry_register(address->root);
    if (!reg) continue;
    const ScalarValue after = values.of(*reg);
    const auto induction = inductions.find(reg->number());
    if (induction != inductions.end()) {
      addresses.steps[address->root] = induction->second;
    } else if (after.root == address->root) {
      addresses.steps[address->root] = after.offset;
    }
  }
  return addresses;
}

void fold_addresses(std::vector<Operation>& operations) {
  ScalarValues values;
  for (Operation& operation : operations) {
    if (addresses_memory(operation) && operation.y.literal && !operation.x.literal) {
      const ScalarValue base = values.of(operation.x);
      const Register home = values.home(base.root).value_or(Register(RegisterClass::scalar, 0));
      const ScalarValue held = values.of(home);
      if (held.root == base.root && !(home == operation.x.reg)) {
        operation.x = Operand::of(home);
        operation.y.value = add(operation.y.value, add(base.offset, negate(held.offset)));
      }
    }
    values.perform(operation);
  }
}

}  // namespace podsim::sw::codegen::registers
