// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/legality.h"

#include <fmt/format.h>

#include <array>

#include "hw/isa/immediates.h"

namespace podsim::hw::isa {
namespace {

bool within(std::int32_t value, int count) { return value >= 0 && value < count; }

/// Returns why `value` cannot be an operand of this kind, or nullptr.
const char* operand_fault(OperandKind kind, Value value) {
  switch (kind) {
    case OperandKind::none:
      return value == Value{} ? nullptr : "sets an operand that it does not have";
    case OperandKind::scalar:
      return !value.literal && within(value.value, scalar_registers) ? nullptr : "has no scalar register there";
    case OperandKind::vector:
      return !value.literal && within(value.value, vector_registers) ? nullptr : "has no vector register there";
    case OperandKind::mask:
      return !value.literal && within(value.value, mask_registers) ? nullptr : "has no vector mask there";
    case OperandKind::predicate:
      return !value.literal && within(value.value, predicate_registers) ? nullptr : "has no predicate there";
    case OperandKind::scalar_or_literal:
      return value.literal || within(value.value, scalar_registers) ? nullptr
                                                                    : "has no scalar register or literal there";
    case OperandKind::vector_or_literal:
      return value.literal || within(value.value, vector_registers) ? nullptr
                                                                    : "has no vector register or literal there";
    case OperandKind::target:
      return value.literal && value.value >= 0 ? nullptr : "has no bundle address there";
    case OperandKind::text:
      return value.literal && value.value >= 0 ? nullptr : "has no string there";
  }
  return "has an operand of no kind";
}

const char* unit_fault(const OpcodeInfo& row, int unit) {
  if (!row.takes_unit) return unit == 0 ? nullptr : "names a unit and takes none";
  int units = row.slot == SlotKind::pop ? popped_units : max_matrix_units;
  return within(unit, units) ? nullptr : "names a unit that there is not";
}

const char* mask_fault(const OpcodeInfo& row, int mask) {
  if (!row.masked) return mask == 0 ? nullptr : "has a vector mask and takes none";
  return within(mask, mask_registers) ? nullptr : "has a vector mask that there is not";
}

const char* predicate_fault(Predicate predicate) {
  if (!within(predicate.reg, predicate_registers)) return "stands under a predicate that there is not";
  return predicate.reg == 0 && predicate.negated ? "stands under !p0 and is never performed" : nullptr;
}

/// Returns why the instruction writes a register that is constant, or nullptr if it does not.
const char* constant_fault(const OpcodeInfo& row, const Instruction& instruction) {
  if (row.opcode == Opcode::s_loop && instruction.x.value == 0) return "counts down s0, which always reads as zero";
  bool writes = row.destination != OperandKind::none && !row.reads_destination;
  if (!writes || instruction.destination != 0) return nullptr;
  if (row.destination == OperandKind::scalar) return "writes s0, which always reads as zero";
  if (row.destination == OperandKind::predicate) return "writes p0, which is always true";
  if (row.destination == OperandKind::mask) return "writes vm0, which is always all true";
  return nullptr;
}

const char* instruction_fault(Slot slot, const Instruction& instruction) {
  if (!within(int(instruction.opcode), opcodes)) return "is no operation";
  const OpcodeInfo& row = info(instruction.opcode);
  if (row.slot != kind(slot)) return "stands in a slot of another kind";
  if (is_branch(instruction.opcode) && slot != Slot::scalar0) return "branches, which only scalar slot 0 does";
  if (const char* fault = predicate_fault(instruction.predicate)) return fault;
  if (const char* fault = operand_fault(row.destination, Value::reg(instruction.destination))) return fault;
  if (const char* fault = operand_fault(row.x, instruction.x)) return fault;
  if (const char* fault = operand_fault(row.y, instruction.y)) return fault;
  if (const char* fault = operand_fault(row.z, instruction.z)) return fault;
  if (const char* fault = mask_fault(row, instruction.mask)) return fault;
  return unit_fault(row, instruction.unit);
}

Fault::Part part_written(Opcode opcode) { return opcode == Opcode::s_loop ? Fault::Part::x : Fault::Part::destination; }

/// Returns an operation before slot `later` that writes the same register and may be performed together with it.
const Instruction* other_writer(const Bundle& bundle, int later, RegisterWrite write) {
  for (int earlier = 0; earlier < later; ++earlier) {
    const auto& first = bundle[Slot(earlier)];
    if (!first || !may_both_be_performed(first->predicate, bundle[Slot(later)]->predicate)) continue;
    if (written_register(*first) == write) return &*first;
  }
  return nullptr;
}

/// Returns true if some register has two writers, whatever their predicates.
bool writers_meet(const Bundle& bundle) {
  std::array<std::uint64_t, 2> written{};  // scalar and vector registers; masks and predicates
  for (const auto& instruction : bundle.slot) {
    std::optional<RegisterWrite> write = instruction ? written_register(*instruction) : std::nullopt;
    if (!write) continue;
    bool upper = write->file == RegisterFile::vector || write->file == RegisterFile::predicate;
    std::uint64_t bit = std::uint64_t(1) << (write->number + (upper ? 32 : 0));
    std::uint64_t& word = written[write->file >= RegisterFile::mask];
    if (word & bit) return true;
    word |= bit;
  }
  return false;
}

/// Returns the fault of the second of two operations that write the same register together.
std::optional<Fault> double_write(const Bundle& bundle) {
  if (!writers_meet(bundle)) return std::nullopt;
  for (int later = 1; later < slots; ++later) {
    const auto& second = bundle[Slot(later)];
    std::optional<RegisterWrite> write = second ? written_register(*second) : std::nullopt;
    const Instruction* other = write ? other_writer(bundle, later, *write) : nullptr;
    if (!other) continue;
    return Fault{Slot(later), part_written(second->opcode),
                 fmt::format("writes {}, as {} of this bundle does", register_name(write->file, write->number),
                             info(other->opcode).mnemonic),
                 ""};
  }
  return std::nullopt;
}

}  // namespace

std::string register_name(RegisterFile file, int number) {
  constexpr const char* prefixes[] = {"s", "v", "vm", "p"};
  return fmt::format("{}{}", prefixes[std::size_t(file)], number);
}

std::optional<RegisterWrite> written_register(const Instruction& instruction) {
  const OpcodeInfo& row = info(instruction.opcode);
  if (instruction.opcode == Opcode::s_loop) return RegisterWrite{RegisterFile::scalar, instruction.x.value};
  if (row.reads_destination) return std::nullopt;
  switch (row.destination) {
    case OperandKind::scalar:
      return RegisterWrite{RegisterFile::scalar, instruction.destination};
    case OperandKind::vector:
      return RegisterWrite{RegisterFile::vector, instruction.destination};
    case OperandKind::mask:
      return RegisterWrite{RegisterFile::mask, instruction.destination};
    case OperandKind::predicate:
      return RegisterWrite{RegisterFile::predicate, instruction.destination};
    default:
      return std::nullopt;
  }
}

std::optional<Fault> find_fault(const Bundle& bundle) {
  for (int s = 0; s < slots; ++s) {
    const auto& instruction = bundle[Slot(s)];
    if (!instruction) continue;
    if (const char* fault = instruction_fault(Slot(s), *instruction))
      return Fault{Slot(s), Fault::Part::operation, fault, ""};
    if (const char* fault = constant_fault(info(instruction->opcode), *instruction))
      return Fault{Slot(s), part_written(instruction->opcode), fault, ""};
  }
  if (auto fault = double_write(bundle)) return fault;
  if (auto literal = first_that_does_not_fit(bundle)) {
    return Fault{literal->slot, Fault::Part(int(Fault::Part::x) + literal->operand),
                 "has a literal for which the bundle's six immediates have no room left",
                 "a register can hold the value, or another bundle the operation"};
  }
  return std::nullopt;
}

std::string_view to_string(Slot slot) {
  constexpr std::string_view names[] = {"scalar0", "scalar1", "vector0", "vector1", "load",
                                        "store",   "push",    "pop",     "misc"};
  return names[std::size_t(slot)];
}

}  // namespace podsim::hw::isa
