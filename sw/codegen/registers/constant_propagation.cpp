// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/registers/constant_propagation.h"

#include <unordered_map>

namespace podsim::sw::codegen::registers {

using hw::isa::Opcode;
using hw::isa::OperandKind;
using hw::isa::SlotKind;

namespace {

using WriteCounts = std::unordered_map<int, int>;

void count_writes(const RecordedCode& code, WriteCounts& counts) {
  for (const RecordedItem& item : code) {
    if (const auto* operation = std::get_if<Operation>(&item)) {
      if (auto reg = written_register(*operation)) ++counts[reg->number()];
    } else {
      count_writes(std::get<std::unique_ptr<RecordedLoop>>(item)->body, counts);
    }
  }
}

std::optional<std::int32_t> compute(hw::isa::Opcode opcode, std::int32_t x, std::int32_t y) {
  const auto a = std::uint32_t(x), b = std::uint32_t(y);
  switch (opcode) {
    case hw::isa::Opcode::s_mov:
      return y;
    case hw::isa::Opcode::s_add:
      return std::int32_t(a + b);
    case hw::isa::Opcode::s_sub:
      return std::int32_t(a - b);
    case hw::isa::Opcode::s_mul:
      return std::int32_t(a * b);
    default:
      return std::nullopt;
  }
}

class Propagation {
 public:
  explicit Propagation(const WriteCounts& counts) : counts_(counts) {}

  void run(RecordedCode& code) {
    for (RecordedItem& item : code) {
      if (auto* operation = std::get_if<Operation>(&item)) {
        substitute(*operation);
        learn(*operation);
      } else {
        RecordedLoop& loop = *std::get<std::unique_ptr<RecordedLoop>>(item);
        substitute(loop.trips);
        run(loop.body);
      }
    }
  }

 private:
  std::optional<std::int32_t> value(const Operand& operand) const {
    if (operand.literal) return operand.value;
    if (operand.reg == Register(RegisterClass::scalar, 0)) return 0;
    auto found = values_.find(operand.reg.number());
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  void substitute(Operand& operand) const {
    if (auto known = value(operand)) operand = Operand::of(*known);
  }

  void substitute(Operation& operation) const {
    const hw::isa::OpcodeInfo& row = operation.info();
    if (row.x == hw::isa::OperandKind::scalar_or_literal) substitute(operation.x);
    if (row.y == hw::isa::OperandKind::scalar_or_literal) substitute(operation.y);
    if (operation.opcode == hw::isa::Opcode::v_splat && value(operation.y)) {
      operation.opcode = hw::isa::Opcode::v_mov;
      substitute(operation.y);
    }
    const bool memory = row.slot == hw::isa::SlotKind::load || row.slot == hw::isa::SlotKind::store ||
                        operation.opcode == hw::isa::Opcode::s_load || operation.opcode == hw::isa::Opcode::s_store;
    if (memory && operation.y.literal && value(operation.x)) {
      operation.y.value = *compute(hw::isa::Opcode::s_add, *value(operation.x), operation.y.value);
      operation.x = Operand::of(Register(RegisterClass::scalar, 0));
    }
  }

  void learn(const Operation& operation) {
    if (operation.info().slot != hw::isa::SlotKind::scalar || operation.conditional() || is_pop(operation)) return;
    const auto reg = written_register(operation);
    if (!reg || reg->cls() != RegisterClass::scalar || counts_.at(reg->number()) != 1) return;
    const auto x = operation.opcode == hw::isa::Opcode::s_mov ? 0 : value(operation.x), y = value(operation.y);
    if (!x || !y) return;
    if (auto known = compute(operation.opcode, *x, *y)) values_[reg->number()] = *known;
  }

  const WriteCounts& counts_;
  std::unordered_map<int, std::int32_t> values_;
};

}  // namespace

void propagate_constants(RecordedCode& code) {
  WriteCounts counts;
  count_writes(code, counts);
  Propagation(counts).run(code);
}

}  // namespace podsim::sw::codegen::registers
