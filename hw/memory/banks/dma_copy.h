// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"
#include "hw/access_pattern.h"
#include "noc/topology.h"

namespace podsim::hw::memory::banks {

/// A port of another chip's on-chip switch, at a distance of `hops`.
struct RemotePort {
  noc::Coordinates hops{};
  int port = 0;
};

/// A port of this chip's switch. If it leads to another chip, `far` is the port there.
struct DmaPort {
  int number = 0;
  std::optional<RemotePort> far = {};
};

/// One end of a DMA transfer: a memory and the addresses of its rows.
struct DmaEnd {
  std::optional<DmaPort> port = {};        ///< of the memory; empty for a memory of the engine's core
  std::uint64_t base = 0;                  ///< byte address of the first row
  std::int64_t stride = 0;                 ///< bytes from the beginning of a row to that of the next
  std::optional<std::uint64_t> seed = {};  ///< if set, rows are scattered over `span` bytes as in AccessPattern
  base::Bytes span{};

  /// Byte address of the beginning of row r.
  std::uint64_t row_begin(std::int64_t r, base::Bytes row_bytes) const {
    return AccessPattern{base, r + 1, row_bytes, stride, seed, span}.row_begin(r);
  }
};

/// A sync flag of another core.
struct RemoteFlag {
  DmaPort port;  ///< port of the core
  std::size_t flag = 0;
};

/// A two-dimensional copy of `rows` rows of `row_bytes` bytes from one memory to another.
struct DmaCopy {
  DmaEnd source, destination;
  std::int64_t rows = 1;
  base::Bytes row_bytes;
  std::optional<RemoteFlag> flag = {};  ///< incremented when all data have arrived

  base::Bytes bytes() const { return row_bytes * rows; }
};

/// A part of a transfer that is contiguous at both ends, moved by one memory request. Addresses are in bytes.
struct Granule {
  std::uint64_t source = 0, destination = 0;
  base::Bytes bytes;
  bool operator==(const Granule&) const = default;
};

}  // namespace podsim::hw::memory::banks
