// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>
#include <utility>
#include <vector>

#include "noc/ici/message_payload.h"

/// A chip's port of the inter-chip interconnect: the pair of sockets that connect to the fabric, with a plain interface
/// for the clients of a chip (collectives, remote DMA), which share the port by channel id.
///
///   port.bind(fabric);
///   port.attach(channel, client);
///   port.send({.hops = {1, 0}, .bytes = ..., .channel = channel, .tag = ...});
namespace podsim::noc::ici {

/// The port of a chip. Clients are told at the simulated time of the event.
class IciPort : public sc_core::sc_module {
 public:
  /// `node` is the number of the port's chip in the fabric.
  IciPort(sc_core::sc_module_name name, NodeId node);

  tlm_utils::simple_initiator_socket<IciPort, 32, MessageProtocol> to_fabric{"to_fabric"};
  tlm_utils::passthrough_target_socket<IciPort, 32, MessageProtocol> from_fabric{"from_fabric"};

  /// Binds both sockets to those of this port's node in a MessageFabric or a PacketNetwork.
  template <class Fabric>
  void bind(Fabric& fabric) {
    to_fabric.bind(fabric.in(node_));
    fabric.out(node_).bind(from_fabric);
  }
  NodeId node() const { return node_; }

  /// Delivers the messages on `channel` to `client`, which must exist until detached. One client per channel.
  void attach(std::uint32_t channel, IciClient& client);
  void detach(std::uint32_t channel);
  /// Sends a message now, from this port's node.
  void send(const Message& message);

 private:
  tlm::tlm_sync_enum taken(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum received(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  IciClient* client(std::uint32_t channel) const;

  NodeId node_;
  PayloadPool pool_;
  std::vector<std::pair<std::uint32_t, IciClient*>> clients_;
};

}  // namespace podsim::noc::ici
