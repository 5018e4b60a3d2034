// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/machine.h"
#include "hw/memory/dram/granule_issuer.h"
#include "hw/timing/hbm_stream.h"

namespace podsim::hw::memory::banks {

/// One core's half of the HBM at bank level with the interface of HbmStream, in cycles of the core clock. It models the
/// DMA engine and the banks, without SystemC and without the on-chip switch.
///
/// Requests of one direction go through consecutive addresses, as the tiles of two arrays do: reads from the start of
/// the memory, writes from its middle. Strided requests take their gaps along and begin at a multiple of 4 KiB, as
/// arrays do; scattered ones lie anywhere within their span from there. The two directions take turns (GranuleIssuer).
///
/// An arrival is, as for HbmStream, the cycle in which data may begin to move, after the whole latency of a DMA. Part
/// of that latency belongs to the banks here, so a request reaches them earlier by the time that an unloaded access
/// takes before its first data:
///
///   issue = arrival - (tRCD + CL), or arrival - (tRCD + CWL) for writes
class BankStream {
 public:
  explicit BankStream(const Machine& machine);

  /// As HbmStream::submit(). `bytes` is a multiple of the shape's row.
  void submit(Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag,
              const AccessShape& shape = {});
  /// Moves time to `cycle` and appends the requests that complete until then, in order of completion.
  void advance(base::Cycles cycle, std::vector<timing::HbmStream::Completion>& completed);
  /// As HbmStream::complete_next().
  base::Cycles complete_next(std::vector<timing::HbmStream::Completion>& completed,
                             base::Cycles limit = timing::HbmStream::no_limit);
  bool idle() const { return issuer_.idle(); }

  const dram::MemorySystem& memory() const { return issuer_.memory(); }

 private:
  struct Request {
    Direction direction = Direction::read;
    base::Bytes bytes;
    std::uint64_t tag = 0;
  };

  AccessPattern place(std::size_t lane, base::Bytes bytes, const AccessShape& shape);
  void take(std::vector<timing::HbmStream::Completion>& completed);
  base::Cycles last_edge_until(base::Cycles cycle) const;
  base::Cycles core_cycle(base::Cycles clock) const { return core_.edge_at_or_after(memory_.time_of(clock)); }

  base::Clock core_, memory_;
  std::array<base::Time, 2> bank_latency_;  ///< until the first data move, by direction
  dram::GranuleIssuer issuer_;
  std::array<std::uint64_t, 2> next_address_, begin_;
  std::uint64_t half_;      ///< size of each direction's region in bytes
  std::uint64_t seed_ = 0;  ///< for the next scattered request
  std::vector<Request> requests_;
  std::vector<std::uint64_t> free_;
  std::vector<dram::GranuleIssuer::Completion> done_;
};

}  // namespace podsim::hw::memory::banks
