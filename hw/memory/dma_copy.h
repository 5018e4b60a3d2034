// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"
#include "hw/access_pattern.h"
#include "noc/topology.h"

namespace podsim::hw {

/// A port of the on-chip switch of another chip, so many hops away.
struct FarPort {
  noc::Coordinates hops{};
  int port = 0;
};

/// A port of the own chip's switch and, if that is a port of the inter-chip interconnect, the one that it leads to.
struct DmaPort {
  int number = 0;
  std::optional<FarPort> far = {};
};

/// One end of a DMA transfer: a memory, and where in it rows begin.
struct DmaEnd {
  std::optional<DmaPort> port = {};        ///< behind which the memory is; nothing: a memory of the engine's own core
  std::uint64_t base = 0;                  ///< byte address of the first row
  std::int64_t stride = 0;                 ///< bytes from a row to the next
  std::optional<std::uint64_t> seed = {};  ///< rows lie scattered over `span` bytes instead, as AccessPattern says
  base::Bytes span{};

  /// The first byte of row r.
  std::uint64_t row_begin(std::int64_t r, base::Bytes row_bytes) const {
    return AccessPattern{base, r + 1, row_bytes, stride, seed, span}.row_begin(r);
  }
};

/// A sync flag of another core.
struct RemoteFlag {
  DmaPort port;  ///< the core's
  std::size_t flag = 0;
};

/// A two-dimensional copy: `rows` rows of `row_bytes` from one memory to another.
struct DmaCopy {
  DmaEnd source, destination;
  std::int64_t rows = 1;
  base::Bytes row_bytes;
  std::optional<RemoteFlag> flag = {};  ///< goes up by one when all data are there

  base::Bytes bytes() const { return row_bytes * rows; }
};

/// A piece of a transfer that is contiguous at both ends.
struct Granule {
  std::uint64_t source = 0, destination = 0;
  base::Bytes bytes;
  bool operator==(const Granule&) const = default;
};

}  // namespace podsim::hw
