// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/trace/probe.h"
#include "base/units.h"
#include "noc/router/router_network.h"

namespace podsim::noc::router {

/// Traces routers and links as signals, those that the sink records:
///
///   router(3,0).to_x_plus.packet   packet that crosses the switch to this link: "(1,0)>(5,0) #12" is packet 12;
///                                  `flit`: number of its flit, from 1; `vc`: virtual channel of the next router
///   router(3,0).from_x_plus.vc0    flits in the buffer of a virtual channel; x_plus is the direction of travel
///
/// The node's own channels are `from_node` and `to_node`, numbered if there are several. Signals change in the cycle in
/// which a flit wins the switch or reaches a buffer.
class RouterTrace : public RouterObserver {
 public:
  RouterTrace(const RouterNetwork& network, base::trace::ProbeSink& sink, base::Clock clock);

  void buffered(Cycle now, NodeId node, int port, int vc, PacketId packet, int flits) override;
  void left(Cycle now, NodeId node, int port, int vc, int output_port, int output_vc, PacketId packet,
            int flits_left) override;

 private:
  struct Output {
    base::trace::Probe<std::string> packet;
    base::trace::Probe<std::int64_t> flit, vc;
    Cycle busy_until = -1;  ///< -1: idle
  };
  struct Buffer {
    base::trace::Probe<std::int64_t> probe;
    std::int64_t flits = 0;
  };

  std::string port_name(int port) const;
  std::size_t port_index(NodeId node, int port) const { return std::size_t(node) * ports_ + port; }
  void advance(Cycle now);
  base::Time time(Cycle cycle) const { return clock_.time_of(base::Cycles(cycle)); }

  const RouterNetwork& network_;
  base::Clock clock_;
  int ports_, vcs_;
  std::vector<Output> outputs_;
  std::vector<Buffer> buffers_;
  std::vector<std::size_t> busy_;  ///< outputs with a flit
  Cycle last_ = 0;
};

}  // namespace podsim::noc::router
