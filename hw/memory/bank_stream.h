// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/hbm_stream.h"
#include "hw/machine.h"
#include "hw/memory/granule_issuer.h"

namespace podsim::hw {

/// HbmStream's interface over the banks: one core's half of the HBM behind its DMA engine, in cycles of the core clock.
/// Requests of a direction follow each other through consecutive addresses, reads from the start of the memory, writes
/// from its middle, as the tiles of two arrays do, rows and their gaps included, whose first row is
/// aligned as arrays are; scattered ones lie anywhere within
/// their span from there. The two directions take turns (GranuleIssuer).
///
/// HbmStream's arrival is when data may begin to move, after the whole latency of a DMA. Part of that latency is here
/// the banks' own: a request reaches them by the time that an unloaded access takes before its first data,
///
///   issue = arrival - (tRCD + CL), or arrival - (tRCD + CWL) for writes
class BankStream {
 public:
  explicit BankStream(const Machine& machine);

  /// Of whole rows of the shape.
  void submit(Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag,
              const AccessShape& shape = {});
  /// Moves time to `cycle` and appends what completed until then, in the order of completion.
  void advance(base::Cycles cycle, std::vector<HbmStream::Completion>& completed);
  /// Moves time to the next completion, which is its result, and appends what completes in that cycle; not when idle.
  base::Cycles complete_next(std::vector<HbmStream::Completion>& completed);
  bool idle() const { return issuer_.idle(); }

  const MemorySystem& memory() const { return issuer_.memory(); }

 private:
  struct Request {
    Direction direction = Direction::read;
    base::Bytes bytes;
    std::uint64_t tag = 0;
  };

  AccessPattern place(std::size_t lane, base::Bytes bytes, const AccessShape& shape);
  void take(std::vector<HbmStream::Completion>& completed);
  base::Cycles core_cycle(base::Cycles clock) const { return core_.edge_at_or_after(memory_.time_of(clock)); }

  base::Clock core_, memory_;
  std::array<base::Time, 2> bank_latency_;  ///< until the first data, by direction
  GranuleIssuer issuer_;
  std::array<std::uint64_t, 2> next_address_, begin_;
  std::uint64_t half_;      ///< bytes of each direction's region
  std::uint64_t seed_ = 0;  ///< of the next scattered request
  std::vector<Request> requests_;
  std::vector<std::uint64_t> free_;
  std::vector<GranuleIssuer::Completion> done_;
};

}  // namespace podsim::hw
