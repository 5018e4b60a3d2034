// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/units.h"
#include "noc/ici/ici_parameters.h"

/// Timing of the on-chip switch that joins a chip's cores, HBM halves, ICI links and PCIe, at message level: for whole
/// transfers of collectives, where packet_switch.h models single packets. A lone transfer with data takes the same time
/// in both.
///
///   start   = max(now, source port free for sending, destination port free for receiving)
///   free    = start + ceil(bytes / bytes_per_cycle) cycles, for both
///   arrival = free + crossing latency
///
/// Ports are full duplex and the crossbar itself does not block. Cycles are those of the chip's clock; a number of
/// cycles is converted to picoseconds as one total. Port width and latency are assumptions of the machine file.
namespace podsim::noc::chip_switch {

/// Times at which a transfer started, its ports were free again, and its last byte arrived.
struct SwitchPassage {
  base::Time start;
  base::Time ports_free;
  base::Time arrival;
};

class SwitchTiming {
 public:
  SwitchTiming(const ici::SwitchParameters& parameters, base::Frequency clock, int ports);

  SwitchPassage pass(base::Time now, int source, int destination, base::Bytes bytes);
  /// Time for which `bytes` occupy a port.
  base::Time occupancy(base::Bytes bytes) const;
  base::Time crossing_latency() const { return clock_.time_of(parameters_.crossing_latency); }
  int ports() const { return int(sending_free_at_.size()); }

 private:
  ici::SwitchParameters parameters_;
  base::Clock clock_;
  std::vector<base::Time> sending_free_at_, receiving_free_at_;
};

}  // namespace podsim::noc::chip_switch
