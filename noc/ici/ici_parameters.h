// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/config.h"
#include "base/parameters/section_of.h"
#include "base/units.h"
#include "noc/router/router_parameters.h"

namespace podsim::noc::ici {

/// [ici] Parameters of the packet level beyond those of the message level: the packet format and the routers.
///
/// The routers' clock has one cycle per flit of a link at its full rate. A full packet occupies a link for as long as
/// its payload takes at IciParameters::payload_rate(), so that both levels move bulk data at the same rate. The part of
/// payload_fraction that the header does not account for is line code and link control.
struct PacketParameters {
  base::Bytes flit{32};
  base::Bytes payload{512};      ///< payload of a full packet
  base::Bytes header{32};        ///< including the packet's checksum
  base::Bytes vc_buffer{32768};  ///< buffer of one virtual channel
  router::RouterParameters router{.vcs = 6,
                                  .buffer_flits = 1024,
                                  .switching = router::Switching::virtual_cut_through,
                                  .arbitration = router::Arbitration::rotary,
                                  .vc_classes = router::VcClasses::dateline};
  bool row_and_column_only = false;  ///< chips route only within their row and column; software relays the rest

  /// Number of flits of a packet with `bytes` of payload.
  std::int64_t flits(base::Bytes bytes) const { return base::divide_round_up((bytes + header).value(), flit.value()); }
};

/// [ici] The inter-chip interconnect.
struct IciParameters {
  base::Bandwidth link_rate;          ///< raw, per direction
  double payload_fraction = 0;        ///< share of the raw rate left after headers, line code and CRC
  base::Duration hop_latency;         ///< through one router and link
  base::Duration remote_dma_latency;  ///< DMA engines and flag at both ends of a message, beyond its hops
  base::Duration cross_pod_latency;   ///< added on a link that joins two pods
  base::Duration switch_crossing;     ///< of the on-chip switch, between a core or memory and a port: [switch]
  PacketParameters packet = {};

  /// The keys of [ici]. switch_crossing and the flits of a router's buffer follow from others.
  static const base::parameters::Section<IciParameters>& section();

  base::Bandwidth payload_rate() const { return link_rate * payload_fraction; }
  /// What a message takes beyond its hops until its flag is visible: the on-chip switch of both chips is crossed.
  base::Duration end_latency() const { return remote_dma_latency + 2 * switch_crossing; }
  /// Latency of a message to a neighbour.
  base::Duration neighbour_latency() const { return hop_latency + end_latency(); }
  /// One flit per cycle when a link carries full packets at the payload rate.
  base::Frequency router_clock() const {
    return base::Frequency(payload_rate().si() / double(packet.payload.value()) * double(packet.flits(packet.payload)));
  }
};

/// [switch] The on-chip switch between cores, HBM halves, ICI links and PCIe.
struct SwitchParameters {
  std::int64_t bytes_per_cycle = 0;  ///< per port and direction
  base::Cycles crossing_latency;
  std::int64_t queue_packets = 0;  ///< queue depth at a port's input, per output

  static const base::parameters::Section<SwitchParameters>& section();
};

/// Rejects values that do not go together, and sets what follows from others: a packet crosses the on-chip switch in
/// `switch_crossing`.
void complete(const base::Config& config, base::Duration switch_crossing, IciParameters& ici);

}  // namespace podsim::noc::ici
