// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/memory/dma_copy.h"

namespace podsim::hw {

/// Cuts a transfer into granules, in the order of its bytes. Behind a port memory is interleaved in units of `unit`
/// bytes, a power of two, and no granule crosses a boundary of them there; the engine's own core takes whatever comes.
/// Rows that follow one another without a gap at both ends are one row.
class GranuleWalk {
 public:
  GranuleWalk(const DmaCopy& transfer, base::Bytes unit);

  bool done() const { return row_ == transfer_.rows; }
  /// Not when done.
  Granule next();

 private:
  std::int64_t address(const DmaEnd& end) const;
  std::int64_t to_boundary(const DmaEnd& end) const;

  DmaCopy transfer_;
  std::int64_t unit_;
  std::int64_t row_ = 0, offset_ = 0;
};

}  // namespace podsim::hw
