// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <tlm>

#include "hw/memory/answer_line.h"
#include "hw/memory/chip_ports.h"
#include "hw/memory/dma_request.h"
#include "noc/ici_port.h"
#include "noc/on_chip_switch.h"

namespace podsim::hw {

/// How DMA requests reach another chip: between the ports of the on-chip switch that belong to the inter-chip
/// interconnect and the chip's port of the fabric.
///
/// A request that leaves the switch at a link's port becomes a message to the chip that its DmaRequestExtension names,
/// with the data of a write; END_REQ comes when at most one message besides it waits for the link. There it enters the
/// switch at the port of the link that it came by, as a request for the port named, and its answer goes back as a
/// message with the data of a read. What has no data is a message of one flit of 32 bytes (assumption: a flit). Latency
/// and occupancy are the fabric's.
class IciMemoryPort : public sc_core::sc_module, private noc::IciClient {
 public:
  IciMemoryPort(sc_core::sc_module_name name, const ChipPorts& ports, noc::OnChipSwitch& chip_switch,
                noc::IciPort& ici);

 private:
  using Target = tlm_utils::passthrough_target_socket_tagged<IciMemoryPort>;
  using Initiator = tlm_utils::simple_initiator_socket_tagged<IciMemoryPort>;

  struct Link {
    Link(IciMemoryPort& owner, int number);
    Target from_switch;
    Initiator to_switch;
    AnswerLine answers{from_switch};
    std::int64_t untaken = 0;                       ///< messages that the link has not taken yet
    tlm::tlm_generic_payload* waiting = nullptr;    ///< of the last of them, for its END_REQ
    std::deque<tlm::tlm_generic_payload*> arrived;  ///< requests of other chips on their way into the switch
    bool held = false;                              ///< one of them stands in front of the switch
  };

  tlm::tlm_sync_enum from_switch(int link, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  tlm::tlm_sync_enum answered(int link, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void message_taken(noc::NodeId node, const noc::Message& message) override;
  void message_received(noc::NodeId node, const noc::Message& message) override;
  void request_arrived(tlm::tlm_generic_payload& request);
  void send(const noc::Coordinates& hops, std::uint32_t channel, tlm::tlm_generic_payload& request, bool with_data);
  void enter_switch(Link& link);
  Link& link_of(tlm::tlm_generic_payload& request);

  ChipPorts ports_;
  noc::IciPort& ici_;
  std::deque<Link> links_;
  DmaRequestPool pool_;
  std::vector<tlm::tlm_generic_payload*> origins_;  ///< by DmaRequestPool::number: the other chip's request
};

}  // namespace podsim::hw
