// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/codegen/families/rows/row_code.h"

namespace podsim::sw::codegen::families::rows {

/// A kernel's parameters in VMEM, 128 columns a row: loaded once, by flag 0.
class RowParameters {
 public:
  /// VMEM rows of all parameters.
  static std::int64_t rows(const RowKernel& kernel, const RowShape& shape);
  /// HBM transfers of the parameters, in whole bursts of 32 bytes.
  static std::vector<hw::TileTransfer> transfers(const RowKernel& kernel);

  RowParameters(builder::KernelBuilder& builder, const RowKernel& kernel, const RowShape& shape);
  void start();
  void wait();
  /// Addresses of the parameters, starting at a block of columns.
  std::vector<registers::RowAddress> at(registers::ScalarOperand block) const;

 private:
  builder::KernelBuilder& builder_;
  std::int64_t block_;
  std::vector<builder::KernelBuilder::VmemBuffer> buffers_;
  std::vector<std::int32_t> descriptors_;
};

}  // namespace podsim::sw::codegen::families::rows
