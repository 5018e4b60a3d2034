// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/timed_queue.h"
#include "base/trace/state_trace.h"
#include "noc/ici/links.h"
#include "noc/ici/message_payload.h"

/// The links of a slice at message level as a module: Links behind two sockets for each chip. One process drives the
/// links at the simulated time of what is due, and sleeps when nothing is in flight.
///
/// Bind in(n) to the initiator socket of chip n's IciPort and out(n) to its target socket.
namespace podsim::noc::ici {

class MessageFabric : public sc_core::sc_module, private LinkObserver {
 public:
  using TargetSocket = tlm_utils::passthrough_target_socket_tagged<MessageFabric, 32, MessageProtocol>;
  using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged<MessageFabric, 32, MessageProtocol>;
  using Labeller = std::function<std::string(const Message&)>;

  /// With a sink, every link that the sink records shows `chip(x,y).ici.x_plus.busy` and the `message` it carries.
  MessageFabric(sc_core::sc_module_name name, FoldedTopology topology, const IciParameters& ici,
                base::trace::ProbeSink* sink = nullptr, const Faults& faults = {});
  ~MessageFabric() override;

  TargetSocket& in(NodeId node) { return in_[std::size_t(node)]; }
  InitiatorSocket& out(NodeId node) { return out_[std::size_t(node)]; }
  const Links& links() const { return links_; }
  Links& links() { return links_; }
  /// Gives the links to a client that drives them itself, ahead of the simulated time. std::logic_error if signals of
  /// links are recorded, and in a send through a socket from then on.
  Links& look_ahead();
  /// Sets the function that names messages in waveforms. The default name is the size.
  void set_labeller(Labeller labeller) { labeller_ = std::move(labeller); }

 private:
  /// A payload whose message the links have.
  class InFlight : public IciClient {
   public:
    explicit InFlight(MessageFabric& fabric) : fabric_(fabric) {}
    void message_taken(NodeId node, const Message& message, base::Time when) override;
    void message_received(NodeId node, const Message& message, base::Time when) override;

    tlm::tlm_generic_payload* payload = nullptr;

   private:
    MessageFabric& fabric_;
  };
  /// What happens to a payload at a chip's port: it is sent, or its sender is told that it has been taken.
  struct PortEvent {
    bool taken;
    tlm::tlm_generic_payload* payload;
  };

  tlm::tlm_sync_enum inject(int node, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
  tlm::tlm_sync_enum ignore_backward(int node, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void work();
  void wake_for_next();
  void perform(const PortEvent& event);
  void send(tlm::tlm_generic_payload& payload);
  void deliver(InFlight& in_flight, NodeId node);
  void link_taken(LinkId link, const LinkPassage& passage, const Message& message) override;
  void declare_traces(base::trace::ProbeSink* sink);

  Links links_;
  std::vector<std::shared_ptr<base::trace::StateTrace>> traces_;  ///< empty, or by link; null where not recorded
  std::deque<TargetSocket> in_;
  std::deque<InitiatorSocket> out_;
  base::TimedQueue<PortEvent> port_events_;
  std::deque<InFlight> in_flight_;
  std::vector<InFlight*> idle_;  ///< of in_flight_
  sc_core::sc_event wake_;
  bool working_ = false;
  bool looks_ahead_ = false;  ///< a client drives the links
  Labeller labeller_;
};

}  // namespace podsim::noc::ici
