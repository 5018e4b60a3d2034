// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "hw/access_pattern.h"
#include "hw/direction.h"
#include "hw/parts/hbm/dram_parameters.h"

namespace podsim::hw::memory::dram {

/// Sustained rates of long transfers at one core's half of the HBM, measured on its banks: for a transfer alone, for a
/// read and a write that run concurrently and take turns granule by granule, and for those of two DMA engines. Each
/// combination of shapes is measured on its first use, over whole refresh intervals and as the mean of several
/// locations in the memory. Results do not depend on the order of calls.
class StreamRates {
 public:
  /// The rates of a memory, measured once for all users. The process keeps those of the last four memories.
  static std::shared_ptr<StreamRates> of(const parts::hbm::DramParameters& parameters, std::int64_t outstanding);

  /// The DMA engine keeps at most `outstanding` granules in flight.
  StreamRates(const parts::hbm::DramParameters& parameters, std::int64_t outstanding)
      : parameters_(parameters), outstanding_(outstanding) {}

  base::Bandwidth alone(Direction direction, const AccessShape& shape);
  /// Rates of the read and of the write while both have data to move.
  std::array<base::Bandwidth, 2> together(const AccessShape& read, const AccessShape& write);

  /// Reads and writes of an engine, then those of another one.
  using Streams = std::array<bool, 4>;
  using Rates = std::array<base::Bandwidth, 4>;
  /// Rates of contiguous streams while those of `moving` have data to move; 0 for others. An engine's faster direction
  /// waits for the slower one.
  Rates contiguous(const Streams& moving);

 private:
  using Shapes = std::array<std::optional<AccessShape>, 4>;  ///< of Streams

  const Rates& rates(const Shapes& shapes);
  Rates measure(const Shapes& shapes) const;
  AccessPattern long_transfer(const AccessShape& shape, std::uint64_t seed) const;

  parts::hbm::DramParameters parameters_;
  std::int64_t outstanding_;
  std::map<Shapes, Rates> measured_;
};

}  // namespace podsim::hw::memory::dram
