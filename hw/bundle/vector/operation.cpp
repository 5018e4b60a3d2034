// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/operation.h"

#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <optional>

#include "hw/isa/latency.h"
#include "hw/isa/legality.h"

namespace podsim::hw::bundle::vector {

namespace {

using isa::Opcode;
using isa::OperandKind;
using isa::RegisterFile;

Executor executor_of(isa::Opcode opcode) {
  switch (isa::info(opcode).slot) {
    case isa::SlotKind::scalar:
      return Executor::scalar;
    case isa::SlotKind::vector:
      return isa::info(opcode).destination == isa::OperandKind::none ? Executor::transcendental : Executor::vector;
    case isa::SlotKind::load:
      return Executor::load;
    case isa::SlotKind::store:
      return Executor::store;
    case isa::SlotKind::push:
      return Executor::push;
    case isa::SlotKind::pop:
      return Executor::pop;
    case isa::SlotKind::misc:
      break;
  }
  return Executor::misc;
}

int unit_of(const isa::Instruction& instruction) {
  if (isa::info(instruction.opcode).takes_unit) return instruction.unit;
  if (instruction.opcode == isa::Opcode::push_scalar || instruction.opcode == isa::Opcode::s_pop) {
    return isa::scalar_path;
  }
  return executor_of(instruction.opcode) == Executor::transcendental ? isa::transcendental_unit : isa::cross_lane_unit;
}

std::optional<isa::RegisterFile> file_of(isa::OperandKind kind) {
  switch (kind) {
    case isa::OperandKind::scalar:
    case isa::OperandKind::scalar_or_literal:
      return isa::RegisterFile::scalar;
    case isa::OperandKind::vector:
    case isa::OperandKind::vector_or_literal:
      return isa::RegisterFile::vector;
    case isa::OperandKind::mask:
      return isa::RegisterFile::mask;
    case isa::OperandKind::predicate:
      return isa::RegisterFile::predicate;
    default:
      return std::nullopt;
  }
}

void add_read(Operation& operation, isa::RegisterFile file, int number) {
  operation.read[operation.reads++] = std::uint8_t(register_entry::of(file, number));
}

DecodedOperand decode_operand(Operation& operation, isa::OperandKind kind, isa::Value value) {
  if (value.literal) return {0, value.value};
  if (const auto file = file_of(kind)) add_read(operation, *file, value.value);
  return {std::uint8_t(value.value), 0};
}

/// Returns true if lanes outside the mask keep the destination's old value, so that the operation also reads it.
bool merges(const isa::Instruction& instruction) {
  return isa::info(instruction.opcode).destination == isa::OperandKind::vector && instruction.mask != 0 &&
         isa::info(instruction.opcode).slot == isa::SlotKind::vector && instruction.opcode != isa::Opcode::v_select;
}

bool uses_state(isa::Opcode opcode) {
  switch (executor_of(opcode)) {
    case Executor::load:
    case Executor::store:
    case Executor::misc:
      return true;
    case Executor::scalar:
      return opcode == isa::Opcode::s_load || opcode == isa::Opcode::s_store;
    default:
      return false;
  }
}

Operation decode_operation(const Machine& machine, isa::Slot slot, const isa::Instruction& instruction,
                           LiteralLanes* literals) {
  const isa::OpcodeInfo& info = isa::info(instruction.opcode);
  Operation operation;
  operation.opcode = instruction.opcode;
  operation.executor = executor_of(instruction.opcode);
  operation.slot = slot;
  operation.uses_state = uses_state(instruction.opcode);
  operation.predicate = instruction.predicate.reg;
  operation.negated = instruction.predicate.negated;
  operation.destination = instruction.destination;
  operation.mask = instruction.mask;
  operation.unit = std::uint8_t(unit_of(instruction));
  operation.x = decode_operand(operation, info.x, instruction.x);
  operation.y = decode_operand(operation, info.y, instruction.y);
  operation.z = decode_operand(operation, info.z, instruction.z);
  if (info.y == isa::OperandKind::vector_or_literal && instruction.y.literal && literals != nullptr) {
    operation.y_lanes = &literals->of(std::uint32_t(instruction.y.value));
  }
  if (info.masked) add_read(operation, isa::RegisterFile::mask, instruction.mask);
  if (info.reads_destination || merges(instruction)) {
    add_read(operation, *file_of(info.destination), instruction.destination);
  }
  if (const auto written = isa::written_register(instruction)) {
    operation.write = std::uint8_t(register_entry::of(written->file, written->number));
    operation.latency = isa::result_latency(machine, instruction.opcode);
  }
  return operation;
}

bool reads(const Operation& operation, int entry) {
  const auto end = operation.read.begin() + operation.reads;
  return std::find(operation.read.begin(), end, entry) != end;
}

/// Returns true if `first` has to be performed before `second`, so that every slot reads before any slot writes. Misc
/// and scalar operations come last: a DMA sees what its own bundle stores.
bool goes_before(const Operation& first, const Operation& second) {
  if (first.executor >= Executor::misc) return false;
  if (second.executor >= Executor::misc) return true;
  if (second.executor == Executor::store && first.executor == Executor::load) return true;
  return reads(first, second.write);
}

/// The operations of a bundle.
using Operations = boost::container::static_vector<Operation, isa::slots>;

/// Removes the operation to be performed next from `operations`. If each has to wait for another, picks one that writes
/// a register and defers its result: only operations that write registers have to wait for reads.
Operation take_next(Operations& operations) {
  const auto blocked = [&](const Operation& candidate) {
    return std::any_of(operations.begin(), operations.end(),
                       [&](const Operation& other) { return &other != &candidate && goes_before(other, candidate); });
  };
  auto next = std::find_if_not(operations.begin(), operations.end(), blocked);
  if (next == operations.end()) {
    next = std::find_if(operations.begin(), operations.end(), [](const Operation& operation) {
      return operation.executor < Executor::misc && operation.write != register_entry::none;
    });
    next->deferred = true;
  }
  const Operation taken = *next;
  operations.erase(next);
  return taken;
}

bool acts_outside(isa::Opcode opcode) {
  return opcode == isa::Opcode::dma || opcode == isa::Opcode::sync_set || opcode == isa::Opcode::sync_add;
}

bool may_wait(const Operation& operation) {
  if (operation.executor == Executor::misc) {
    return operation.opcode != isa::Opcode::mark && operation.opcode != isa::Opcode::halt;
  }
  if (operation.executor == Executor::scalar) return operation.opcode == isa::Opcode::s_pop;
  return operation.executor != Executor::vector;
}

}  // namespace

DecodedBundle decode_bundle(const Machine& machine, const isa::Bundle& bundle, LiteralLanes* literals) {
  Operations operations;
  for (int slot = 0; slot < isa::slots; ++slot) {
    const auto& instruction = bundle[isa::Slot(slot)];
    if (!instruction) continue;
    const Operation operation = decode_operation(machine, isa::Slot(slot), *instruction, literals);
    const auto behind = std::ranges::upper_bound(operations, operation.executor, {}, &Operation::executor);
    operations.insert(behind, operation);
  }
  DecodedBundle decoded;
  decoded.loaded = true;
  decoded.operations.reserve(operations.size());
  while (!operations.empty()) {
    const Operation next = take_next(operations);
    decoded.waits |= may_wait(next);
    decoded.outside |= acts_outside(next.opcode);
    decoded.deferred |= next.deferred;
    decoded.operations.push_back(next);
  }
  return decoded;
}

}  // namespace podsim::hw::bundle::vector
