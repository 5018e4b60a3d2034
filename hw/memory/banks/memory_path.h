// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "hw/timing/hbm_stream.h"

namespace podsim::hw::memory::banks {

/// Computes the time of a granule of one interleave unit from a DMA engine to an otherwise idle HBM half and back, in
/// cycles of the core clock:
///
///   read:   switch(0) + bank(read) + switch(unit)         switch(b) = max(1, ceil(b / bytes_per_cycle)) + crossing
///   write:  switch(unit) + bank(write) + switch(0)
///
///   bank(d) = mean_bank_latency, rounded up to core cycles
///
/// The latencies of [dma] are totals, from the issue of a descriptor until its data begin to move on a memory that adds
/// no latency, such as HbmStream; they divide the mean times of ops on silicon. At bank level the DMA engine accounts
/// for the remainder, the time to fetch and decode a descriptor:
///
///   front end(d) = max(0, latency(d) - path(d))
///
/// The smallest transfers therefore take the same time at both levels.
class MemoryPath {
 public:
  explicit MemoryPath(const Machine& machine);
  base::Cycles duration(Direction direction) const { return direction == Direction::read ? read_ : write_; }

 private:
  base::Cycles read_, write_;
};

/// Mean time from the arrival of a granule of one interleave unit at an idle channel to its last data, in clocks of the
/// memory, over arrivals spread evenly over a refresh period, simulated on a channel of the bank model:
///
///   rcd(d) + cl or cwl + clocks of the data + mean wait for a refresh of one of its banks
base::Cycles mean_bank_latency(const parts::hbm::DramParameters& parameters, Direction direction);

}  // namespace podsim::hw::memory::banks
