// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "hw/bundle/vector/region.h"
#include "hw/isa/dma_descriptor.h"
#include "hw/timing/hbm_stream.h"

namespace podsim::hw::bundle {

enum class DmaSpace { hbm, vmem, smem, instructions };
/// "HBM", "VMEM", "SMEM", "instruction memory".
const char* to_string(DmaSpace space);

/// A descriptor in flight.
struct DmaTransfer {
  DmaTransfer() = default;
  /// The descriptor's route must exist. Other fields are not checked.
  DmaTransfer(const isa::DmaDescriptor& descriptor, std::uint32_t bundle);

  isa::DmaDescriptor descriptor;
  DmaSpace from{}, to{};
  vector::Region source, destination;  ///< in words, or in bundles for instruction memory
  std::uint32_t bundle = 0;            ///< address of the bundle that issued it
  base::Cycles arrival;                ///< cycle from which its data may move
  bool second_half = false;            ///< a copy within HBM that has read and now writes
  std::int64_t vmem_rows = 0;          ///< count_vmem_rows(), set when the transfer begins

  bool within_hbm() const { return from == DmaSpace::hbm && to == DmaSpace::hbm; }
  /// Current direction at the HBM.
  Direction direction() const { return from == DmaSpace::hbm && !second_half ? Direction::read : Direction::write; }
  /// Bytes that the HBM moves: each row rounded up to whole bursts of 32 bytes.
  base::Bytes bytes() const;
  /// Number of VMEM rows that the transfer touches, summed over its rows. Takes a step per row of the transfer.
  std::int64_t count_vmem_rows() const;
};

}  // namespace podsim::hw::bundle
