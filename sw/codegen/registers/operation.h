// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "hw/isa/bundle.h"
#include "hw/machine.h"
#include "sw/codegen/registers/virtual_registers.h"

/// Code as KernelBuilder records it: operations on virtual registers, and loops around them.
namespace podsim::sw::codegen::registers {

enum class RegisterClass : std::uint8_t { scalar, vector, mask, predicate };
inline constexpr int register_classes = 4;

/// A virtual register of any class, represented by a single number.
class Register {
 public:
  constexpr Register() = default;
  constexpr Register(RegisterClass cls, int id) : number_(id * register_classes + int(cls)) {}
  constexpr Register(ScalarReg reg) : Register(RegisterClass::scalar, reg.id) {}
  constexpr Register(VectorReg reg) : Register(RegisterClass::vector, reg.id) {}
  constexpr Register(MaskReg reg) : Register(RegisterClass::mask, reg.id) {}
  constexpr Register(PredicateReg reg) : Register(RegisterClass::predicate, reg.id) {}
  static constexpr Register from_number(int number) {
    return Register(RegisterClass(number % register_classes), number / register_classes);
  }

  constexpr RegisterClass cls() const { return RegisterClass(number_ % register_classes); }
  constexpr int id() const { return number_ / register_classes; }
  /// Dense over the registers of a program, classes interleaved.
  constexpr int number() const { return number_; }
  /// s0, vm0 and p0, which cannot be written.
  constexpr bool constant() const { return number_ < register_classes && cls() != RegisterClass::vector; }
  constexpr bool operator==(const Register&) const = default;

 private:
  std::int32_t number_ = 0;
};

struct Operand {
  bool literal = false;
  std::int32_t value = 0;  ///< value of a literal
  Register reg;
  static Operand of(std::int32_t value) { return {true, value, {}}; }
  static Operand of(Register reg) { return {false, 0, reg}; }
};

/// An instruction before register allocation. Operands that the opcode does not have are ignored.
struct Operation {
  hw::isa::Opcode opcode = hw::isa::Opcode::halt;
  Register destination;  ///< a source in stores
  Operand x, y, z;
  Register mask{RegisterClass::mask, 0};
  Register predicate{RegisterClass::predicate, 0};
  bool negated = false;
  /// The destination had no value before, so a masked operation may leave anything in the other lanes.
  bool fresh = false;
  std::uint8_t unit = 0;
  int buffer = -1;  ///< RowAddress::buffer, for vector loads and stores

  const hw::isa::OpcodeInfo& info() const { return hw::isa::info(opcode); }
  bool conditional() const { return !(predicate == Register(RegisterClass::predicate, 0)); }
};

/// Registers that an operation reads: operands, mask, predicate, and a destination that keeps part of its value.
/// Excludes constant registers.
class RegisterReads {
 public:
  explicit RegisterReads(const Operation& operation);
  const Register* begin() const { return reads_.data(); }
  const Register* end() const { return reads_.data() + count_; }

 private:
  void add(Register reg);
  std::array<Register, 6> reads_;
  int count_ = 0;
};
std::optional<Register> written_register(const Operation& operation);
/// Returns true if the written register keeps nothing of its former value.
bool overwrites(const Operation& operation);
/// Returns the FIFO unit that an operation pushes to or pops from, by its number in hw/isa/bundle.h, or -1.
int unit_of(const Operation& operation);
bool is_pop(const Operation& operation);
bool is_push(const Operation& operation);

/// Returns the instruction with the machine registers that `number` returns.
template <class NumberOf>
hw::isa::Instruction to_instruction(const Operation& operation, const NumberOf& number);

struct RecordedLoop;
using RecordedItem = std::variant<Operation, std::unique_ptr<RecordedLoop>>;
using RecordedCode = std::vector<RecordedItem>;
struct RecordedLoop {
  Operand trips;
  LoopOptions options;
  RecordedCode body;
};

template <class NumberOf>
hw::isa::Instruction to_instruction(const Operation& operation, const NumberOf& number) {
  using hw::isa::OperandKind;
  using hw::isa::Value;
  const hw::isa::OpcodeInfo& row = operation.info();
  const auto value = [&](hw::isa::OperandKind kind, const Operand& operand) {
    if (kind == hw::isa::OperandKind::none) return hw::isa::Value{};
    return operand.literal ? hw::isa::Value::of(operand.value) : hw::isa::Value::reg(number(operand.reg));
  };
  hw::isa::Instruction instruction;
  instruction.opcode = operation.opcode;
  instruction.predicate = {std::uint8_t(number(operation.predicate)), operation.negated};
  if (row.destination != hw::isa::OperandKind::none)
    instruction.destination = std::uint8_t(number(operation.destination));
  instruction.x = value(row.x, operation.x);
  instruction.y = value(row.y, operation.y);
  instruction.z = value(row.z, operation.z);
  if (row.masked) instruction.mask = std::uint8_t(number(operation.mask));
  if (row.takes_unit) instruction.unit = operation.unit;
  return instruction;
}

}  // namespace podsim::sw::codegen::registers
