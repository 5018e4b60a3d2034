// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"

namespace podsim::noc {

/// [ici] The inter-chip interconnect.
struct IciParameters {
  base::Bandwidth link_rate;          ///< raw, per direction
  double payload_fraction = 0;        ///< of the raw rate after headers, line code and CRC
  base::Duration hop_latency;         ///< through one router and link
  base::Duration remote_dma_latency;  ///< end to end over one hop with the flag visible at the far core
  base::Duration cross_pod_latency;   ///< added on a link that joins two pods
  base::Bandwidth payload_rate() const { return link_rate * payload_fraction; }
};

/// [switch] The on-chip switch between cores, HBM halves, ICI links and PCIe.
struct SwitchParameters {
  std::int64_t bytes_per_cycle = 0;  ///< of one port, per direction
  base::Cycles crossing_latency;
  std::int64_t queue_packets = 0;  ///< that wait at a port's input for one output
};

}  // namespace podsim::noc
