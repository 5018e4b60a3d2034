// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>

#include "base/probe.h"
#include "noc/faults.h"
#include "noc/folded_topology.h"
#include "noc/ici_parameters.h"
#include "noc/link_timing.h"
#include "noc/message.h"
#include "noc/route_plan.h"
#include "noc/timed_queue.h"

/// The links of a slice at message level: every message takes each link of its dimension-order route in turn, in order
/// of arrival, by the timing of LinkTiming. One heap of arrivals behind one event; asleep when nothing is on its way.
///
/// Ties are broken without regard to the absolute position of a node, so that a folded topology gives the same times as
/// the full one: heads that reach a link at the same picosecond take it in the order of the port they came in by
/// (x+, x-, y+ ... of the travelling direction), local messages last, in the order in which they were sent. This needs
/// a hop latency above zero.
///
/// With faults a slow link has a lower rate, so has one with bit errors, by the share of its packets that go twice, and
/// one that stalls.
/// Routes avoid dead links by RoutePlanner; a way of several legs is relayed by software, which takes
/// ici.remote_dma_latency less the hop. A slice with faults is not folded.
///
/// Bind in(n) to the initiator socket of chip n's IciPort and out(n) to its target socket.
namespace podsim::noc {

class MessageFabric : public sc_core::sc_module {
 public:
  using TargetSocket = tlm_utils::passthrough_target_socket_tagged<MessageFabric, 32, MessageProtocol>;
  using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged<MessageFabric, 32, MessageProtocol>;
  using Labeller = std::function<std::string(const Message&)>;

  /// With a sink, every wanted link shows `chip(x,y).ici.x_plus.busy` and the `message` it carries.
  MessageFabric(sc_core::sc_module_name name, FoldedTopology topology, const IciParameters& ici,
                base::ProbeSink* sink = nullptr, const Faults& faults = {});

  TargetSocket& in(NodeId node) { return in_[node]; }
  InitiatorSocket& out(NodeId node) { return out_[node]; }
  const FoldedTopology& topology() const { return topology_; }
  /// Occupancy, bytes and messages of a link of topology().representatives().
  const LinkTiming& link(LinkId id) const { return links_[id]; }
  /// Names a message in waveforms; by default its size.
  void set_labeller(Labeller labeller) { labeller_ = std::move(labeller); }

  std::int64_t messages_delivered() const { return delivered_; }
  /// Links taken by all messages, each counted once per hop.
  std::int64_t hops() const { return hops_; }
  /// Messages that software sent on, each counted once per relay.
  std::int64_t messages_relayed() const { return relayed_; }
  /// SimulationError that names two chips which no living links join, if a message was to go from one to the other.
  void check() const;

 private:
  enum class Kind : std::uint8_t { deliver, taken, arrive, show_message, show_idle };
  struct Step {
    Kind kind;
    NodeId node;    ///< where it happens; for show_*: the link
    bool injected;  ///< arrive: the message enters the fabric here
    tlm::tlm_generic_payload* payload;
    MessageExtension* extension;  ///< the payload's, looked up once
  };
  struct LinkProbe {
    base::Probe<bool> busy;
    base::Probe<std::string> message;
    bool active() const { return busy.active() || message.active(); }
  };

  tlm::tlm_sync_enum inject(int node, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
  tlm::tlm_sync_enum ignore_backward(int node, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void work();
  void perform(const Step& step, base::Time now);
  void arrive(const Step& step, base::Time now);
  void taken(const Step& step);
  /// Gives a message its way; false when there is none.
  bool plan(NodeId node, tlm::tlm_generic_payload& payload);
  bool begin_next_leg(const Step& step);
  void deliver(const Step& step);
  void schedule(base::Time when, std::uint32_t rank, const Step& step);
  void show(LinkId link, const LinkPassage& passage, tlm::tlm_generic_payload& payload);
  void declare_probes(base::ProbeSink* sink);

  FoldedTopology topology_;
  std::vector<LinkTiming> links_;
  std::vector<NodeId> link_target_;
  std::vector<LinkProbe> probes_;
  std::deque<TargetSocket> in_;
  std::deque<InitiatorSocket> out_;
  TimedQueue<Step> queue_;
  sc_core::sc_event wake_;
  bool working_ = false;
  Labeller labeller_;
  std::int64_t delivered_ = 0;
  std::int64_t hops_ = 0, relayed_ = 0;
  base::Time relay_time_;
  std::optional<RoutePlanner> planner_;                                      ///< where links are dead
  std::map<const tlm::tlm_generic_payload*, RoutePlanner::Legs> legs_left_;  ///< of messages to be relayed
  std::string verdict_;
};

}  // namespace podsim::noc
