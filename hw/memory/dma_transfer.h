// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace podsim::hw {

/// One end of a DMA transfer: a memory, and where in it rows begin.
struct DmaEnd {
  std::optional<int> port = {};  ///< of the on-chip switch behind which the memory is; nothing: the engine's own core
  std::uint64_t base = 0;        ///< byte address of the first row
  std::int64_t stride = 0;       ///< bytes from a row to the next
};

/// A two-dimensional copy: `rows` rows of `row_bytes` from one memory to another.
struct DmaTransfer {
  DmaEnd source, destination;
  std::int64_t rows = 1;
  base::Bytes row_bytes;

  base::Bytes bytes() const { return row_bytes * rows; }
};

/// A piece of a transfer that is contiguous at both ends.
struct Granule {
  std::uint64_t source = 0, destination = 0;
  base::Bytes bytes;
  bool operator==(const Granule&) const = default;
};

}  // namespace podsim::hw
