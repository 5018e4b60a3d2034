// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/kernels/row_code.h"

namespace podsim::sw {

/// A kernel's parameters in VMEM, 128 columns a row: loaded once, by flag 0.
class RowParameters {
 public:
  /// VMEM rows that they take.
  static std::int64_t rows(const RowKernel& kernel, const RowShape& shape);
  /// What moves over HBM for each, in whole accesses of 32 bytes.
  static std::vector<hw::TileTransfer> transfers(const RowKernel& kernel);

  RowParameters(KernelBuilder& builder, const RowKernel& kernel, const RowShape& shape);
  void start();
  void wait();
  /// From a block of columns on.
  std::vector<RowAddress> at(ScalarOperand block) const;

 private:
  KernelBuilder& builder_;
  std::int64_t block_;
  std::vector<KernelBuilder::VmemBuffer> buffers_;
  std::vector<std::int32_t> descriptors_;
};

}  // namespace podsim::sw
