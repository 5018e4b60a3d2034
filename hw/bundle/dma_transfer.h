// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "hw/bundle/region.h"
#include "hw/hbm_stream.h"
#include "hw/isa/dma_descriptor.h"

namespace podsim::hw {

enum class DmaSpace { hbm, vmem, smem, instructions };
/// "HBM", "VMEM", "SMEM", "instruction memory".
const char* to_string(DmaSpace space);

/// A descriptor on its way.
struct DmaTransfer {
  DmaTransfer() = default;
  /// The descriptor's route must exist; nothing else is asked of it.
  DmaTransfer(const isa::DmaDescriptor& descriptor, std::uint32_t bundle);

  isa::DmaDescriptor descriptor;
  DmaSpace from{}, to{};
  Region source, destination;  ///< in words; in bundles of instruction memory
  std::uint32_t bundle = 0;    ///< that issued it
  base::Cycles arrival;        ///< when its data may begin to move
  bool second_half = false;    ///< a copy within HBM has read and writes now
  std::int64_t vmem_rows = 0;  ///< count_vmem_rows() of a transfer that has begun

  bool within_hbm() const { return from == DmaSpace::hbm && to == DmaSpace::hbm; }
  /// Of the HBM, at present.
  Direction direction() const { return from == DmaSpace::hbm && !second_half ? Direction::read : Direction::write; }
  /// That the HBM moves: each row rounded up to the 32 bytes that HBM is accessed by.
  base::Bytes bytes() const;
  /// Rows of VMEM that it touches, each time that it does; takes a step for each of its rows.
  std::int64_t count_vmem_rows() const;
};

}  // namespace podsim::hw
