// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <string>
#include <systemc>
#include <tlm>

#include "base/probe.h"
#include "noc/packet_switch.h"

/// The on-chip switch as a module: PacketSwitch behind TLM-2.0 sockets of the base protocol, non-blocking. A unit at a
/// port that asks binds its initiator socket to in(port), one that is asked binds its target socket to out(port);
/// either may stay unbound.
///
///  - A request names the port it is for by its SwitchRoute and enters with BEGIN_REQ. END_REQ comes at once while its
///    queue has room, else when it gets into it.
///  - It leaves with BEGIN_REQ at that port. The target answers END_REQ at once or, while it is busy, later: nothing
///    else leaves there until then.
///  - The target answers with BEGIN_RESP, at once TLM_COMPLETED while the queue has room, else END_RESP follows.
///  - The response leaves with BEGIN_RESP at the port that the request came from, which must answer TLM_COMPLETED:
///    whoever asks has room for the answer. Answers wait for nothing but answers and requests that targets take, so
///    that nothing can wait in a circle as long as no target waits for the switch before it takes a request.
///
/// Requests carry the data of writes, responses those of reads. One process, asleep unless a packet can move.
namespace podsim::noc {

/// Where a request leaves the switch. Its data length is what counts, not its address or data.
class SwitchRoute : public tlm::tlm_extension<SwitchRoute> {
 public:
  explicit SwitchRoute(int port = 0) : destination(port) {}
  tlm::tlm_extension_base* clone() const override { return new SwitchRoute(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const SwitchRoute&>(other); }
  int destination;
  int source = 0;  ///< where the response leaves: set by the switch
};

class OnChipSwitch : public sc_core::sc_module {
 public:
  using TargetSocket = tlm_utils::passthrough_target_socket_tagged_optional<OnChipSwitch>;
  using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged_optional<OnChipSwitch>;

  SC_HAS_PROCESS(OnChipSwitch);
  /// With a sink, every port shows `in0.waiting` (packets) and `out0.sending` below the scope.
  OnChipSwitch(sc_core::sc_module_name name, const SwitchParameters& parameters, base::Frequency clock, int ports,
               base::ProbeSink* sink = nullptr, const std::string& scope = "switch");

  TargetSocket& in(int port) { return in_[std::size_t(port)]; }
  InitiatorSocket& out(int port) { return out_[std::size_t(port)]; }

 private:
  struct Transaction {
    tlm::tlm_generic_payload* payload = nullptr;
    bool response = false;
  };
  using Packet = PacketSwitch<Transaction>::Packet;
  struct PortProbes {
    base::Probe<std::int64_t> waiting;
    base::Probe<bool> sending;
  };

  tlm::tlm_sync_enum from_initiator(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay);
  tlm::tlm_sync_enum from_target(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  tlm::tlm_sync_enum respond(int port, tlm::tlm_generic_payload& payload);
  void work();
  void push(const Packet& packet);
  void hand_over(const Packet& packet);
  void admit(int source, int destination);
  void taken(int port);
  void wake_at(base::Cycles cycle);
  void show(base::Cycles now);
  Packet request(int port, tlm::tlm_generic_payload& payload) const;
  Packet response(int port, tlm::tlm_generic_payload& payload) const;
  base::Cycles present() const;

  base::Clock clock_;
  PacketSwitch<Transaction> switch_;
  std::deque<TargetSocket> in_;
  std::deque<InitiatorSocket> out_;
  std::vector<tlm::tlm_generic_payload*> held_requests_, held_responses_;  ///< per port, waiting for room
  std::vector<Packet> crossed_, started_;
  std::vector<PortProbes> probes_;
  sc_core::sc_event wake_;
};

}  // namespace podsim::noc
