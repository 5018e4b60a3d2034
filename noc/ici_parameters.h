// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "noc/router/router_parameters.h"

namespace podsim::noc {

/// [ici] What the packet level knows beyond the message level: the format of packets, and the routers.
///
/// The routers' clock has one cycle per flit of a link at its full rate. A full packet takes a link as long as its
/// payload takes at IciParameters::payload_rate(), so that both levels move bulk data at one rate: what the header does
/// not account for in payload_fraction is line code and link control.
struct PacketParameters {
  base::Bytes flit{32};
  base::Bytes payload{512};      ///< of a full packet
  base::Bytes header{32};        ///< with what checks the packet
  base::Bytes vc_buffer{49152};  ///< of a virtual channel
  RouterParameters router{
      .vcs = 4, .buffer_flits = 1536, .switching = Switching::virtual_cut_through, .vc_classes = VcClasses::dateline};
  bool row_and_column_only = false;  ///< chips route within their row and column; elsewhere software relays

  /// Flits of a packet with so much payload.
  std::int64_t flits(base::Bytes bytes) const { return base::divide_round_up((bytes + header).value(), flit.value()); }
};

/// [ici] The inter-chip interconnect.
struct IciParameters {
  base::Bandwidth link_rate;          ///< raw, per direction
  double payload_fraction = 0;        ///< of the raw rate after headers, line code and CRC
  base::Duration hop_latency;         ///< through one router and link
  base::Duration remote_dma_latency;  ///< end to end over one hop with the flag visible at the far core
  base::Duration cross_pod_latency;   ///< added on a link that joins two pods
  PacketParameters packet = {};
  base::Bandwidth payload_rate() const { return link_rate * payload_fraction; }
  /// One flit per cycle when a link carries full packets at the payload rate.
  base::Frequency router_clock() const {
    return base::Frequency(payload_rate().si() / double(packet.payload.value()) * double(packet.flits(packet.payload)));
  }
};

/// [switch] The on-chip switch between cores, HBM halves, ICI links and PCIe.
struct SwitchParameters {
  std::int64_t bytes_per_cycle = 0;  ///< of one port, per direction
  base::Cycles crossing_latency;
  std::int64_t queue_packets = 0;  ///< that wait at a port's input for one output
};

}  // namespace podsim::noc
