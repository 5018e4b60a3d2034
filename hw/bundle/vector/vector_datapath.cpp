// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/vector_datapath.h"

namespace podsim::hw::bundle::vector {

using isa::Opcode;

VectorDatapath::VectorDatapath(std::int64_t vmem_rows) : memory_(vmem_rows) {
  masks_[0] = MaskRegister::all();
  // References into these vectors must stay valid while a bundle is performed, so they must not grow beyond this.
  deferred_registers_.reserve(isa::slots);
  deferred_masks_.reserve(isa::slots);
}

VectorRegister& VectorDatapath::destination(const Operation& operation) {
  VectorRegister& target = registers_[operation.destination];
  if (!operation.deferred) return target;
  return deferred_registers_.emplace_back(Deferred<VectorRegister>{operation.destination, target}).value;
}

MaskRegister& VectorDatapath::mask_destination(const Operation& operation) {
  MaskRegister& target = masks_[operation.destination];
  if (!operation.deferred) return target;
  return deferred_masks_.emplace_back(Deferred<MaskRegister>{operation.destination, target}).value;
}

void VectorDatapath::perform(const Operation& operation, std::uint32_t y_value) {
  if (operation.write >= register_entry::mask) return perform_on_masks(operation, y_value);
  const MaskRegister& mask = masks_[operation.mask];
  if (operation.opcode != isa::Opcode::v_splat) {
    return vector_operation(operation.opcode, destination(operation), x(operation), y(operation), mask);
  }
  if (operation.mask == 0) return fill(destination(operation), y_value);
  fill(splat_, y_value);
  vector_operation(operation.opcode, destination(operation), x(operation), splat_, mask);
}

void VectorDatapath::perform_on_masks(const Operation& operation, std::uint32_t y_value) {
  MaskRegister& d = mask_destination(operation);
  switch (operation.opcode) {
    case isa::Opcode::m_splat:
      d = y_value != 0 ? MaskRegister::all() : MaskRegister{};
      break;
    case isa::Opcode::m_and:
    case isa::Opcode::m_or:
    case isa::Opcode::m_xor:
    case isa::Opcode::m_andn:
      mask_operation(operation.opcode, d, masks_[operation.x.reg], masks_[operation.y.reg]);
      break;
    default:
      vector_compare(operation.opcode, d, x(operation), y(operation), masks_[operation.mask]);
  }
}

void VectorDatapath::load(const Operation& operation, const RowSet& rows) {
  memory_.load(rows, destination(operation), masks_[operation.mask]);
}

void VectorDatapath::store(const Operation& operation, const RowSet& rows) {
  memory_.store(rows, registers_[operation.destination], masks_[operation.mask]);
}

void VectorDatapath::commit() {
  for (const auto& deferred : deferred_registers_) registers_[deferred.number] = deferred.value;
  for (const auto& deferred : deferred_masks_) masks_[deferred.number] = deferred.value;
  deferred_registers_.clear();
  deferred_masks_.clear();
}

}  // namespace podsim::hw::bundle::vector
