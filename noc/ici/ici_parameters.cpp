// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/ici_parameters.h"

#include "base/parameters/related_values.h"
#include "base/parameters/section.h"

namespace podsim::noc::ici {

namespace {

/// A stage of a router's pipeline.
base::parameters::kind::Whole stage(std::int64_t least) {
  return base::parameters::kind::whole(least, 1000, "a stage of a router's pipeline takes a few cycles");
}

/// What remains of a link's rate for payload.
struct PayloadShare {
  double operator()(const base::parameters::Reading& reading, const std::string& key) const {
    const double share = base::parameters::kind::share()(reading, key);
    if (share < 0.001) reading.config.reject(key, "a link without payload moves nothing");
    return share;
  }
};

/// The latency of a hop, some time.
struct HopTime {
  base::Duration operator()(const base::parameters::Reading& reading, const std::string& key) const {
    const base::Duration time = base::parameters::kind::Time{}(reading, key);
    if (time.si() < 1e-12) reading.config.reject(key, "'" + key + "' must be at least 1 ps");
    return time;
  }
};

/// Values that each may be right and do not go together.
void relate(const base::Config& config, const IciParameters& ici) {
  const PacketParameters& packet = ici.packet;
  if ((packet.payload + packet.header) % packet.flit != base::Bytes(0)) {
    base::parameters::reject_together(config, {"ici.packet_payload", "ici.packet_header", "ici.flit"},
                                      "payload and header of a full packet must fill its flits");
  }
  const std::string problem = router::router_problem(packet.router, packet.flits(packet.payload));
  if (!problem.empty()) {
    base::parameters::reject_together(config,
                                      {"ici.vc_buffer", "ici.flit", "ici.packet_payload", "ici.packet_header",
                                       "ici.virtual_channels", "ici.switching", "ici.vc_classes"},
                                      problem);
  }
  const double of_header = double(packet.header.value()) / double(packet.payload.value());
  if (ici.payload_fraction * (1 + of_header) > 1) {
    base::parameters::reject_together(config, {"ici.packet_header", "ici.packet_payload", "ici.payload_fraction"},
                                      "payload and header together are more than a link carries",
                                      "'ici.payload_fraction' is what remains for payload");
  }
}

}  // namespace

const base::parameters::Section<IciParameters>& IciParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  using enum router::Switching;
  using enum router::Allocation;
  using router::Arbitration, router::VcClasses, router::RouterParameters;
  constexpr base::Bytes max_packet{1LL << 20}, max_buffer{1LL << 30};
  const auto packet = [](auto member) {
    return [member](IciParameters & ici) -> auto& { return ici.packet.*member; };
  };
  const auto routers = [](auto member) {
    return [member](IciParameters & ici) -> auto& { return ici.packet.router.*member; };
  };
  static const base::parameters::Section<IciParameters> keys(
      "ici", {
                 {"link_rate", &IciParameters::link_rate, Rate{}, {collectives, packets}},
                 {"payload_fraction", &IciParameters::payload_fraction, PayloadShare{}, {collectives, packets}},
                 {"hop_latency", &IciParameters::hop_latency, HopTime{}, {collectives, packets}},
                 {"remote_dma_latency", &IciParameters::remote_dma_latency, Time{}, {collectives, packets}},
                 {"cross_pod_latency", &IciParameters::cross_pod_latency, Time{}, {collectives, packets}},
                 {"flit", packet(&PacketParameters::flit), Size{max_packet}, {packets}},
                 {"packet_payload", packet(&PacketParameters::payload), Size{max_packet}, {packets}},
                 {"packet_header", packet(&PacketParameters::header), Size{max_packet}, {packets}},
                 {"vc_buffer", packet(&PacketParameters::vc_buffer), Size{max_buffer}, {packets}},
                 {"virtual_channels", routers(&RouterParameters::vcs), positive(), {packets}},
                 {"switching", routers(&RouterParameters::switching), named(virtual_cut_through, wormhole), {packets}},
                 {"allocation", routers(&RouterParameters::allocation), named(islip, round_robin), {packets}},
                 {"allocation_iterations", routers(&RouterParameters::iterations), positive(), {packets}},
                 {"arbitration",
                  routers(&RouterParameters::arbitration),
                  named(Arbitration::rotary, Arbitration::fair),
                  {packets}},
                 {"vc_classes",
                  routers(&RouterParameters::vc_classes),
                  named(VcClasses::dateline, VcClasses::destination, VcClasses::none),
                  {packets}},
                 {"route_cycles", routers(&RouterParameters::route_cycles), stage(0), {packets}},
                 {"vc_allocation_cycles", routers(&RouterParameters::vc_cycles), stage(1), {packets}},
                 {"switch_allocation_cycles", routers(&RouterParameters::switch_cycles), stage(1), {packets}},
                 {"traversal_cycles", routers(&RouterParameters::traversal_cycles), stage(1), {packets}},
                 {"row_and_column_only", packet(&PacketParameters::row_and_column_only), Flag{}, {packets}},
             });
  return keys;
}

const base::parameters::Section<SwitchParameters>& SwitchParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<SwitchParameters> keys(
      "switch",
      {
          {"bytes_per_cycle",
           &SwitchParameters::bytes_per_cycle,
           positive(),
           {ops, collectives, packets, chip, kernels}},
          {"crossing_latency_cycles", &SwitchParameters::crossing_latency, cycles(0), {collectives, packets, chip}},
          {"queue_packets", &SwitchParameters::queue_packets, positive(), {chip}},
      });
  return keys;
}

void complete(const base::Config& config, base::Duration switch_crossing, IciParameters& ici) {
  ici.switch_crossing = switch_crossing;
  ici.packet.router.buffer_flits = int(ici.packet.vc_buffer / ici.packet.flit);
  relate(config, ici);
}

}  // namespace podsim::noc::ici
