// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <tlm>

#include "hw/memory/banks/chip_ports.h"
#include "hw/memory/banks/dma_request.h"
#include "hw/memory/banks/response_queue.h"
#include "noc/chip_switch/on_chip_switch.h"
#include "noc/ici/ici_port.h"

namespace podsim::hw::memory::banks {

/// Carries DMA requests to other chips: it joins the ICI ports of the on-chip switch to the chip's port of the fabric.
///
/// A request that leaves the switch at a link's port becomes a message to the chip that its DmaRequestExtension names,
/// with the data of a write. END_REQ is withheld until the link has taken the message before it. At the destination the
/// request enters the switch at the port of the link by which it came, for the port that the extension names. The
/// answer returns as a message with the data of a read. A message without data is one flit of 32 bytes (assumption).
/// Latency and occupancy are those of the fabric.
class IciMemoryPort : public sc_core::sc_module, private noc::ici::IciClient {
 public:
  IciMemoryPort(sc_core::sc_module_name name, const ChipPorts& ports, noc::chip_switch::OnChipSwitch& chip_switch,
                noc::ici::IciPort& ici);

 private:
  using Target = tlm_utils::passthrough_target_socket_tagged<IciMemoryPort>;
  using Initiator = tlm_utils::simple_initiator_socket_tagged<IciMemoryPort>;

  struct Link {
    Link(IciMemoryPort& owner, int number);
    Target from_switch;
    Initiator to_switch;
    ResponseQueue answers{from_switch};
    std::int64_t untaken = 0;                       ///< messages of requests that the link has not taken yet
    tlm::tlm_generic_payload* waiting = nullptr;    ///< request of the last of them, if its END_REQ is withheld
    std::deque<tlm::tlm_generic_payload*> arrived;  ///< requests of other chips that wait for the switch
    bool held = false;                              ///< one of them waits at the switch input
  };

  tlm::tlm_sync_enum from_switch(int link, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  tlm::tlm_sync_enum answered(int link, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void message_taken(noc::NodeId node, const noc::ici::Message& message, base::Time when) override;
  void message_received(noc::NodeId node, const noc::ici::Message& message, base::Time when) override;
  void request_arrived(tlm::tlm_generic_payload& request);
  void send(const noc::Coordinates& hops, std::uint32_t channel, tlm::tlm_generic_payload& request, bool with_data);
  void enter_switch(Link& link);
  Link& link_of(tlm::tlm_generic_payload& request);

  ChipPorts ports_;
  noc::ici::IciPort& ici_;
  std::deque<Link> links_;
  DmaRequestPool pool_;
  std::vector<tlm::tlm_generic_payload*> origins_;  ///< the other chip's request, indexed by DmaRequestPool::number()
};

}  // namespace podsim::hw::memory::banks
