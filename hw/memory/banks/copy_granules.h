// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/memory/banks/dma_copy.h"

namespace podsim::hw::memory::banks {

/// Splits a transfer into granules in the order of its bytes. Memories behind a port are interleaved in units of `unit`
/// bytes, a power of two, and no granule crosses a unit boundary there. Memories of the engine's core set no
/// boundaries. Rows that are contiguous at both ends are merged into one.
class CopyGranules {
 public:
  CopyGranules(const DmaCopy& transfer, base::Bytes unit);

  bool done() const { return row_ == transfer_.rows; }
  /// Returns the next granule. Must not be done.
  Granule next();

 private:
  std::int64_t address(const DmaEnd& end) const;
  std::int64_t to_boundary(const DmaEnd& end) const;

  DmaCopy transfer_;
  std::int64_t unit_;
  std::int64_t row_ = 0, offset_ = 0;
};

}  // namespace podsim::hw::memory::banks
