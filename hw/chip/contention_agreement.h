// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "hw/machine.h"
#include "hw/tile_op.h"

/// Compares how an op and other traffic share a core's half of the HBM: by the law of tile and replay detail
/// (hw/timing/contended_op.h), and with the banks behind the on-chip switch (hw/memory/banks/bank_memory.h), where the
/// DMA engine of the other core makes the traffic.
namespace podsim::hw::chip {

/// Traffic concurrent with an op, in pieces of 64 KiB per direction: a piece begins when the one before it has moved.
struct TrafficBeside {
  enum class Kind { collective, copy, infeed };
  Kind kind = Kind::copy;
  base::Bytes read, written;
  std::uint64_t source = 0, destination = 0;  ///< addresses in the HBM
  base::Bandwidth pace;                       ///< at most, of each direction, such as that of a link; 0: none
};
std::string to_string(TrafficBeside::Kind kind);

struct ContentionCase {
  TileOp op;
  TrafficBeside traffic;
};

/// An op with any mix of reads, writes and computation, and concurrent traffic: a collective that sends and receives at
/// the rate of one to four links, a copy as fast as the HBM lets it, or an infeed at the rate of the host's link. Op
/// and traffic take some ten microseconds each.
ContentionCase random_contention(const Machine& machine, std::uint64_t seed);

/// Both begin at once.
struct ContentionTimes {
  base::Time op, traffic;  ///< until each of them has ended
  base::Time both() const { return std::max(op, traffic); }
};

struct ContentionComparison {
  ContentionCase pair;
  base::Time op_alone;
  ContentionTimes law, banks;
};

// In simulations of their own, which may be nested in another one.

/// Runs a pair by the law and on the banks.
ContentionComparison compare_contention(const Machine& machine, const ContentionCase& pair);
/// A pair on a chip at replay detail, and with the units of a core.
ContentionTimes replayed_contention(const Machine& machine, const ContentionCase& pair);
ContentionTimes tiled_contention(const Machine& machine, const ContentionCase& pair);

/// (time / reference) - 1
inline double relative_error(base::Time time, base::Time reference) {
  return double(time.value()) / double(reference.value()) - 1;
}

}  // namespace podsim::hw::chip
