// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/timed_queue.h"
#include "base/units.h"
#include "noc/faults.h"
#include "noc/folded_topology.h"
#include "noc/ici/ici_parameters.h"
#include "noc/ici/link_timing.h"
#include "noc/ici/message.h"
#include "noc/ici/service_order.h"
#include "noc/route_plan.h"

/// The links of a slice at message level, without SystemC: the one implementation of how they behave. Every message
/// takes each link of its dimension-order route in turn, in order of arrival, with the timing of LinkTiming.
///
/// One owner drives them, by calls of send() and of serve_next() for all that is due, in order of time: MessageFabric,
/// their module, at the simulated time of every event; or a client that looks ahead of the simulated time
/// (sw/collectives/engine/look_ahead.h), if no other client sends. A link knows when its last message will have
/// left it as soon as it takes the next one, so the sender is told at once when its message will be taken, and the
/// receiver too where it asks for it.
///
/// Ties are broken without regard to the absolute position of a node, so that a folded topology gives the same times as
/// the full one: heads that reach a link in the same picosecond take it in the order of the ports by which they arrived
/// (x+, x-, y+ ... in the direction of travel), then local messages, in the order in which they were sent. This
/// requires a hop latency above zero.
///
/// Faults lower the rate of a link: a slow link has a fraction of the rate; bit errors lower it by the share of packets
/// that are sent again, stalls by the stall rate. Routes avoid dead links (RoutePlanner). A route of several legs is
/// relayed by software, which takes IciParameters::end_latency(). A slice with faults is not folded.
namespace podsim::noc::ici {

/// When a client is told that a message has been received.
enum class Delivery : std::uint8_t {
  ahead,   ///< as soon as the time is known
  in_turn  ///< at that time; of messages that reach a node at one time, in the order of the ports by which they arrive
};

/// Sees which messages take which links.
class LinkObserver {
 public:
  virtual ~LinkObserver() = default;
  virtual void link_taken(LinkId link, const LinkPassage& passage, const Message& message) = 0;
};

class Links {
 public:
  Links(FoldedTopology topology, const IciParameters& ici, const Faults& faults = {});

  const FoldedTopology& topology() const { return topology_; }
  /// Occupancy, bytes and messages of a link of topology().representatives().
  const LinkTiming& link(LinkId id) const { return links_[std::size_t(id)]; }
  void observe(LinkObserver& observer) { observer_ = &observer; }
  /// Makes a record of the messages that each link takes, by link of topology().representatives(). Call before the
  /// first message, as the next one.
  void record(std::vector<ServiceOrder>& orders);
  /// Has links take messages in the order of another record, which was made of the same messages on `recorded`, a
  /// folding of this topology. Without effect where links are dead, since messages take other routes.
  void follow(const std::vector<ServiceOrder>& orders, const FoldedTopology& recorded);
  /// Likewise for the messages of one channel, with a record of a run in which they were alone, on channel 1. Links
  /// take those of other channels as they come, until forget() of the channel, none of whose messages is then in
  /// flight.
  void follow(std::uint32_t channel, const std::vector<ServiceOrder>& orders, const FoldedTopology& recorded);
  void forget(std::uint32_t channel) { channel_services_.erase(channel); }

  /// Sends a message from its source at `now`, behind all heads that have reached its first link by then, which must
  /// have been served. `client` is told when the link has taken it, and when it has been received.
  void send(const Message& message, IciClient& client, Delivery delivery, base::Time now);
  /// Whether anything is due, now or later.
  bool active() const { return !queue_.empty(); }
  /// The time of what is due first. Precondition: active().
  base::Time next_due() const { return queue_.top().when; }
  /// Does what is due first, at its time. Precondition: active().
  void serve_next();

  /// Other messages have a link up to a time.
  void occupy(LinkId id, base::Time until) { links_[std::size_t(id)].occupy(until); }
  /// What links have carried since they were made.
  struct Carried {
    std::vector<LinkTiming> links = {};  ///< by link of the representatives
    std::int64_t messages = 0, hops = 0;
  };
  Carried carried() const { return {links_, delivered_, hops_}; }
  /// Counts what the links of `part` carried, which stands for these from the position `first` on. Neither is folded.
  void count(const Carried& carried, const Topology& part, const Coordinates& first);

  std::int64_t messages_delivered() const { return delivered_; }
  /// Links taken by all messages.
  std::int64_t hops() const { return hops_; }
  /// Number of relays by software, summed over messages.
  std::int64_t messages_relayed() const { return relayed_; }
  /// SimulationError if a message was sent between two chips that no path of living links joins. It names the two
  /// chips.
  void check() const;

 private:
  /// A message in flight.
  struct Flight {
    IciClient* client = nullptr;
    NodeId node = 0;          ///< that its head has reached
    Coordinates remaining{};  ///< hops still to go, in this leg
    base::Time tail;          ///< when the tail is at the node
    Delivery delivery = Delivery::in_turn;
    bool injected = true;     ///< it takes its first link next
    std::uint32_t route = 0;  ///< key of legs_left_; 0: this leg is the only one
    Message message = {};
  };
  using Services = std::vector<OrderedService<Flight>>;  ///< by link
  enum class Kind : std::uint8_t { end_of_leg, arrive };
  struct Step {
    Kind kind;
    std::uint32_t flight;  ///< index into flights_
  };

  /// Plans the route of a message; returns false if there is none.
  bool plan(Flight& flight);
  Services services_of(const std::vector<ServiceOrder>& orders, const FoldedTopology& recorded) const;
  void arrive(Flight& flight, base::Time now);
  void take(Flight& flight, LinkId link, int dimension, base::Time now);
  void end_leg(Flight& flight, base::Time now);
  void deliver(const Flight& flight, base::Time when);
  void keep(base::Time when, std::uint32_t rank, Kind kind, const Flight& flight);

  FoldedTopology topology_;
  std::vector<LinkTiming> links_;
  std::vector<NodeId> link_target_;  ///< by link; -1: none
  base::TimedQueue<Step> queue_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  LinkObserver* observer_ = nullptr;
  std::int64_t delivered_ = 0, hops_ = 0, relayed_ = 0;
  base::Time relay_time_;
  std::optional<RoutePlanner> planner_;                    ///< only if links are dead
  std::map<std::uint32_t, RoutePlanner::Legs> legs_left_;  ///< of messages still to be relayed
  std::uint32_t routes_ = 0;                               ///< routes of several legs so far
  std::string verdict_;
  std::vector<ServiceOrder>* record_ = nullptr;
  Services services_;  ///< empty without an order to follow
  std::unordered_map<std::uint32_t, Services> channel_services_;
};

}  // namespace podsim::noc::ici
