// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/hbm_stream.h"
#include "hw/machine.h"

namespace podsim::hw {

/// How long a granule of one interleave unit is on its way between a DMA engine and an otherwise idle HBM half, in
/// cycles of the core clock:
///
///   read:   switch(0) + bank(read) + switch(unit)         switch(b) = max(1, ceil(b / bytes_per_cycle)) + crossing
///   write:  switch(unit) + bank(write) + switch(0)
///
///   bank(d) = mean_bank_latency, rounded up to core cycles
///
/// The latencies of [dma] are totals, from a descriptor's issue until its data begin to move on a memory without any of
/// its own, as HbmStream is; they divide the mean times of ops on silicon. At bank level the engine's share of them,
/// finding and decoding a descriptor, is what this path leaves:
///
///   front end(d) = max(0, latency(d) - path(d))
///
/// so that the smallest transfers take equally long at both levels.
class MemoryPath {
 public:
  explicit MemoryPath(const Machine& machine);
  base::Cycles duration(Direction direction) const { return direction == Direction::read ? read_ : write_; }

 private:
  base::Cycles read_, write_;
};

/// From the arrival of a granule of one interleave unit at an idle channel to its last data, in clocks of the memory,
/// on average over arrivals that are spread evenly over a period of refreshes:
///
///   rcd(d) + cl or cwl + clocks of the data + mean wait for a refresh of one of its banks
///
/// as a channel of the bank model has it.
base::Cycles mean_bank_latency(const DramParameters& parameters, Direction direction);

}  // namespace podsim::hw
