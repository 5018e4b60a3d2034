// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/rows/row_parameters.h"

#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::families::rows {

using Op = hw::isa::Opcode;

namespace {

constexpr std::int32_t parameter_flag = 0;
constexpr std::int64_t hbm_atom = 32;

std::int64_t rows_of_each(const RowShape& shape) { return shape.columns.count() * shape.columns.block; }

}  // namespace

std::int64_t RowParameters::rows(const RowKernel& kernel, const RowShape& shape) {
  return std::int64_t(kernel.parameters.size()) * rows_of_each(shape);
}

std::vector<hw::TileTransfer> RowParameters::transfers(const RowKernel& kernel) {
  std::vector<hw::TileTransfer> transfers;
  for (const KernelArray& parameter : kernel.parameters) {
    transfers.push_back({base::Bytes(base::round_up(hlo::logical_bytes(parameter.shape).value(), hbm_atom))});
  }
  return transfers;
}

RowParameters::RowParameters(builder::KernelBuilder& builder, const RowKernel& kernel, const RowShape& shape)
    : builder_(builder), block_(shape.columns.block) {
  for (const KernelArray& parameter : kernel.parameters) {
    buffers_.push_back(builder.vmem_rows(rows_of_each(shape)));
    hw::isa::DmaDescriptor descriptor;
    descriptor.route = hw::isa::DmaRoute::hbm_to_vmem;
    descriptor.flag = parameter_flag;
    descriptor.source = parameter.address;
    descriptor.destination = std::uint32_t(buffers_.back().row * builder::row_words);
    descriptor.words = std::uint32_t(parameter.shape.element_count());
    descriptors_.push_back(builder.descriptor(descriptor, parameter.name));
  }
}

void RowParameters::start() {
  for (std::int32_t descriptor : descriptors_) builder_.dma(descriptor);
}

void RowParameters::wait() {
  if (!descriptors_.empty()) builder_.sync_wait(parameter_flag, std::int32_t(descriptors_.size()));
}

std::vector<registers::RowAddress> RowParameters::at(registers::ScalarOperand block) const {
  std::vector<registers::RowAddress> addresses;
  for (const builder::KernelBuilder::VmemBuffer& buffer : buffers_) {
    const registers::ScalarReg row = builder_.constant(buffer.row);
    const registers::ScalarReg before = builder_.op(Op::s_mul, builder_.constant(std::int32_t(block_)), block);
    addresses.push_back({builder_.op(Op::s_add, row, before), 0, buffer.buffer});
  }
  return addresses;
}

}  // namespace podsim::sw::codegen::families::rows
