// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <string>
#include <systemc>
#include <tlm>

#include "base/trace/probe.h"
#include "noc/chip_switch/packet_switch.h"

/// The on-chip switch as a module: a PacketSwitch behind TLM-2.0 sockets of the base protocol, non-blocking. At a port,
/// a unit that sends requests binds its initiator socket to in(port) and a unit that serves them binds its target
/// socket to out(port). Either may stay unbound.
///
/// - A request names its destination port in its SwitchRoute and enters with BEGIN_REQ. END_REQ comes at once while its
///   queue has room, else when the request enters the queue.
/// - It leaves with BEGIN_REQ at that port. The target returns END_REQ at once or, while it is busy, later; until then
///   nothing else leaves there.
/// - The target answers with BEGIN_RESP. The switch returns TLM_COMPLETED while the queue has room, else END_RESP
///   follows.
/// - The response leaves with BEGIN_RESP at the port that the request came from, which must return TLM_COMPLETED: an
///   initiator has room for its answers. Answers wait only for answers and for requests that targets take, so no cyclic
///   wait can arise as long as no target waits for the switch before it takes a request.
///
/// Requests carry the data of writes, responses those of reads. One process, which sleeps unless a packet can move.
namespace podsim::noc::chip_switch {

/// The route of a request. The switch uses the payload's data length, but not its address or data.
class SwitchRoute : public tlm::tlm_extension<SwitchRoute> {
 public:
  explicit SwitchRoute(int port = 0) : destination(port) {}
  tlm::tlm_extension_base* clone() const override { return new SwitchRoute(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const SwitchRoute&>(other); }
  int destination;
  int source = 0;  ///< where the response leaves; set by the switch
};

class OnChipSwitch : public sc_core::sc_module {
 public:
  using TargetSocket = tlm_utils::passthrough_target_socket_tagged_optional<OnChipSwitch>;
  using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged_optional<OnChipSwitch>;

  SC_HAS_PROCESS(OnChipSwitch);
  /// With a sink, every port shows `in0.waiting` (packets), `out0.sending`, and `out0.bytes`, the data of the packets
  /// that have begun to cross to it so far, below the scope.
  OnChipSwitch(sc_core::sc_module_name name, const ici::SwitchParameters& parameters, base::Frequency clock, int ports,
               base::trace::ProbeSink* sink = nullptr, const std::string& scope = "switch");

  TargetSocket& in(int port) { return in_[std::size_t(port)]; }
  InitiatorSocket& out(int port) { return out_[std::size_t(port)]; }
  /// Time that packets have occupied an input, or an output.
  base::Time input_busy(int port) const { return clock_.time_of(switch_.input_busy(port)); }
  base::Time output_busy(int port) const { return clock_.time_of(switch_.output_busy(port)); }
  /// Data of packets that have begun to cross from an input, or to an output.
  base::Bytes input_bytes(int port) const { return input_bytes_[std::size_t(port)]; }
  base::Bytes output_bytes(int port) const { return output_bytes_[std::size_t(port)]; }

 private:
  struct Transaction {
    tlm::tlm_generic_payload* payload = nullptr;
    bool response = false;
  };
  using Packet = PacketSwitch<Transaction>::Packet;
  struct PortProbes {
    base::trace::Probe<std::int64_t> waiting;
    base::trace::Probe<bool> sending;
    base::trace::Probe<std::int64_t> bytes;
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
  static base::Bytes data_of(const Transaction& transaction);
  Packet request(int port, tlm::tlm_generic_payload& payload) const;
  Packet response(int port, tlm::tlm_generic_payload& payload) const;
  base::Cycles present() const;

  base::Clock clock_;
  PacketSwitch<Transaction> switch_;
  std::deque<TargetSocket> in_;
  std::deque<InitiatorSocket> out_;
  std::vector<tlm::tlm_generic_payload*> held_requests_, held_responses_;  ///< by port, those that wait for room
  std::vector<Packet> crossed_, started_;
  std::vector<base::Bytes> input_bytes_, output_bytes_;
  std::vector<PortProbes> probes_;
  sc_core::sc_event wake_;
};

}  // namespace podsim::noc::chip_switch
