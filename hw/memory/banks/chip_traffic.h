// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/trace/probe.h"
#include "hw/machine.h"
#include "hw/memory/dram/bus_shares.h"
#include "hw/memory/dram/memory_pattern.h"

namespace podsim::hw::memory::banks {

/// The memory that the DMA engine of every core of a chip accesses.
enum class TrafficEnd {
  own,       ///< the core's half of the HBM
  other,     ///< the half of the next core of the chip
  one,       ///< the half of the first core, for all cores
  host,      ///< the host's memory
  neighbour  ///< the half of the core of the same number on the neighbouring chip
};
std::string_view to_string(TrafficEnd end);

/// Traffic of all cores of a chip at once, through their DMA engines and the on-chip switch.
struct ChipTraffic {
  TrafficEnd end = TrafficEnd::own;
  dram::MemoryPattern pattern;  ///< of every core
};

/// Streams that reach an HBM half.
using HalfTraffic = std::vector<dram::MemoryStream>;

/// The streams at each half that the traffic uses; none for the host. Cores that use one half use parts of it.
/// base::InputError for a pattern that does not fit and for an end that the machine does not have.
std::vector<HalfTraffic> halves_of(const Machine& machine, const ChipTraffic& traffic);

struct ChipTrafficResult {
  struct Core {
    base::Bytes moved;
    base::Time end;  ///< of its last stream; the time so far if it is not done
  };
  /// Shares of the time in which packets cross from the port's input and to its output.
  struct Port {
    std::string name;
    double in = 0, out = 0;
  };
  std::vector<Core> cores;
  base::Time time;                      ///< from the first request to the last answer
  std::vector<base::Cycles> latencies;  ///< of all granules, in cycles of the core, ascending
  dram::BusShares shares;               ///< data pins of the halves that are used
  std::int64_t bursts = 0, activates = 0, refreshes = 0;
  std::vector<Port> ports;  ///< of the first chip's switch

  base::Bytes moved() const;
};

/// How a run is watched. All members may be empty.
struct ChipTrafficWatch {
  std::function<void(double)> progress = {};  ///< called with the fraction of the bytes that have moved
  ChipTrafficResult* partial = nullptr;       ///< receives the result so far of a run that is interrupted
};

/// Runs traffic on a chip as SystemC modules: DMA engines that split transfers into granules, the on-chip switch, HBM
/// halves bank by bank, PCIe and links. A transfer of a core waits for the earlier ones of its direction. The sink, if
/// there is one, receives the signals of all units below chip(0,0). Throws base::host::Interrupted when the program is
/// interrupted.
ChipTrafficResult run_chip_traffic(const Machine& machine, const ChipTraffic& traffic,
                                   base::trace::ProbeSink* sink = nullptr, const ChipTrafficWatch& watch = {});

/// The time that the traffic at the halves takes as streams at sustained rates, as at tile level: without granules,
/// switch and latencies.
base::Time stream_time(const Machine& machine, std::span<const HalfTraffic> halves);

}  // namespace podsim::hw::memory::banks
