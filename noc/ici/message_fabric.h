// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>

#include "base/timed_queue.h"
#include "base/trace/state_trace.h"
#include "noc/faults.h"
#include "noc/folded_topology.h"
#include "noc/ici/ici_parameters.h"
#include "noc/ici/link_timing.h"
#include "noc/ici/message.h"
#include "noc/ici/service_order.h"
#include "noc/route_plan.h"

/// The links of a slice at message level. Every message takes each link of its dimension-order route in turn, in order
/// of arrival, with the timing of LinkTiming. One process works through a queue of arrivals, and sleeps when nothing is
/// in flight.
///
/// Ties are broken without regard to the absolute position of a node, so that a folded topology gives the same times as
/// the full one: heads that reach a link in the same picosecond take it in the order of the ports by which they arrived
/// (x+, x-, y+ ... in the direction of travel), then local messages, in the order in which they were sent. This
/// requires a hop latency above zero.
///
/// Faults lower the rate of a link: a slow link has a fraction of the rate; bit errors lower it by the share of packets
/// that are sent again, stalls by the stall rate. Routes avoid dead links (RoutePlanner). A route of several legs is
/// relayed by software, which takes ici.remote_dma_latency less the hop. A slice with faults is not folded.
///
/// Bind in(n) to the initiator socket of chip n's IciPort and out(n) to its target socket.
namespace podsim::noc::ici {

class MessageFabric : public sc_core::sc_module {
 public:
  using TargetSocket = tlm_utils::passthrough_target_socket_tagged<MessageFabric, 32, MessageProtocol>;
  using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged<MessageFabric, 32, MessageProtocol>;
  using Labeller = std::function<std::string(const Message&)>;

  /// With a sink, every link that the sink records shows `chip(x,y).ici.x_plus.busy` and the `message` it carries.
  MessageFabric(sc_core::sc_module_name name, FoldedTopology topology, const IciParameters& ici,
                base::trace::ProbeSink* sink = nullptr, const Faults& faults = {});

  TargetSocket& in(NodeId node) { return in_[node]; }
  InitiatorSocket& out(NodeId node) { return out_[node]; }
  const FoldedTopology& topology() const { return topology_; }
  /// Makes a record of the messages that each link takes, by link of topology().representatives(). Call before the
  /// simulation, as the next one.
  void record(std::vector<ServiceOrder>& orders);
  /// Has links take messages in the order of another fabric's record, which that fabric made of the same messages on
  /// `recorded`, a folding of this topology. Without effect where links are dead, since messages take other routes.
  void follow(const std::vector<ServiceOrder>& orders, const FoldedTopology& recorded);
  /// Occupancy, bytes and messages of a link of topology().representatives().
  const LinkTiming& link(LinkId id) const { return links_[id]; }
  /// Sets the function that names messages in waveforms. The default name is the size.
  void set_labeller(Labeller labeller) { labeller_ = std::move(labeller); }

  std::int64_t messages_delivered() const { return delivered_; }
  /// Hops of all messages.
  std::int64_t hops() const { return hops_; }
  /// Number of relays by software, summed over messages.
  std::int64_t messages_relayed() const { return relayed_; }
  /// SimulationError if a message was sent between two chips that no path of living links joins. It names the two
  /// chips.
  void check() const;

 private:
  enum class Kind : std::uint8_t { deliver, taken, arrive };
  struct Step {
    Kind kind;
    NodeId node;
    bool injected;  ///< for arrive: the message enters the fabric here
    tlm::tlm_generic_payload* payload;
    MessageExtension* extension;  ///< extension of the payload, looked up once
  };

  tlm::tlm_sync_enum inject(int node, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
  tlm::tlm_sync_enum ignore_backward(int node, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void work();
  void perform(const Step& step, base::Time now);
  void arrive(const Step& step, base::Time now);
  void take(const Step& step, LinkId link, int dimension, int direction, base::Time now);
  void taken(const Step& step);
  /// Plans the route of a message; returns false if there is none.
  bool plan(NodeId node, tlm::tlm_generic_payload& payload);
  bool begin_next_leg(const Step& step);
  void deliver(const Step& step);
  void schedule(base::Time when, std::uint32_t rank, const Step& step);
  void declare_traces(base::trace::ProbeSink* sink);

  FoldedTopology topology_;
  std::vector<LinkTiming> links_;
  std::vector<NodeId> link_target_;
  std::vector<std::shared_ptr<base::trace::StateTrace>> traces_;  ///< empty, or by link; null where not recorded
  std::deque<TargetSocket> in_;
  std::deque<InitiatorSocket> out_;
  base::TimedQueue<Step> queue_;
  sc_core::sc_event wake_;
  bool working_ = false;
  Labeller labeller_;
  std::int64_t delivered_ = 0;
  std::int64_t hops_ = 0, relayed_ = 0;
  base::Time relay_time_;
  std::optional<RoutePlanner> planner_;                                      ///< only if links are dead
  std::map<const tlm::tlm_generic_payload*, RoutePlanner::Legs> legs_left_;  ///< legs of messages still to be relayed
  std::string verdict_;
  std::vector<ServiceOrder>* record_ = nullptr;
  std::vector<OrderedService<Step>> services_;  ///< by link; empty without an order to follow
};

}  // namespace podsim::noc::ici
