// SPDX-License-Identifier: Apache-2.0
#include "noc/router/router_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::noc::router {

RouterTrace::RouterTrace(const RouterNetwork& network, base::trace::ProbeSink& sink, base::Clock clock)
    : network_(network),
      clock_(clock),
      ports_(2 * network.topology().dimensions() + network.parameters().local_ports),
      vcs_(network.parameters().router.vcs) {
  const Topology& topology = network.topology();
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (int port = 0; port < ports_; ++port) {
      const std::string router = "router" + topology.name(node);
      const std::string to = router + ".to_" + port_name(port), from = router + ".from_" + port_name(port);
      for (int vc = 0; vc < vcs_; ++vc) {
        buffers_.push_back({.probe = {&sink, from, fmt::format("vc{}", vc)}});
        buffers_.back().probe.set(base::Time(0), 0);
      }
      outputs_.push_back({.packet = {&sink, to, "packet"}, .flit = {&sink, to, "flit"}, .vc = {&sink, to, "vc"}});
      outputs_.back().packet.set(base::Time(0), "");
    }
  }
}

std::string RouterTrace::port_name(int port) const {
  const int links = 2 * network_.topology().dimensions();
  if (port < links) return dimension_name(port / 2) + (port % 2 == 0 ? "_plus" : "_minus");
  return ports_ == links + 1 ? "node" : fmt::format("node{}", port - links);
}

// Marks outputs idle that have no flit in the cycle after their last one, in the order of these cycles.
void RouterTrace::advance(Cycle now) {
  if (now == last_) return;
  const auto ended = std::ranges::stable_partition(busy_, [&](std::size_t i) { return outputs_[i].busy_until >= now; });
  std::ranges::stable_sort(ended, {}, [&](std::size_t i) { return outputs_[i].busy_until; });
  for (const std::size_t i : ended) {
    Output& output = outputs_[i];
    output.packet.set(time(output.busy_until), "");
    output.flit.set(time(output.busy_until), 0);
    output.busy_until = -1;
  }
  busy_.erase(ended.begin(), ended.end());
  last_ = now;
}

void RouterTrace::buffered(Cycle now, NodeId node, int port, int vc, PacketId, int flits) {
  advance(now);
  Buffer& buffer = buffers_[port_index(node, port) * vcs_ + vc];
  buffer.flits += flits;
  buffer.probe.set(time(now), buffer.flits);
}

void RouterTrace::left(Cycle now, NodeId node, int port, int vc, int output_port, int output_vc, PacketId id,
                       int flits_left) {
  buffered(now, node, port, vc, id, -1);
  Output& output = outputs_[port_index(node, output_port)];
  if (!output.packet.active() && !output.flit.active() && !output.vc.active()) return;
  const Packet& packet = network_.packet(id);
  const Topology& topology = network_.topology();
  output.packet.set(time(now),
                    fmt::format("{}>{} #{}", topology.name(packet.source), topology.name(packet.destination), id));
  output.flit.set(time(now), packet.flits - flits_left + 1);
  output.vc.set(time(now), output_vc);
  if (output.busy_until < 0) busy_.push_back(port_index(node, output_port));
  output.busy_until = now + 1;
}

}  // namespace podsim::noc::router
