// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/timed_queue.h"
#include "noc/ici/link_timing.h"
#include "sw/collectives/engine/surroundings.h"

/// Surroundings that have the links of a healthy slice at message level themselves, without SystemC: one queue of
/// timers and of heads of messages in place of modules, their events and payloads. The links have the timing of
/// noc::ici::MessageFabric, and what is due at one time is served in the same order as by CollectiveEngine on such a
/// fabric: heads that reach a link by the port at which they arrive, then timers of cores. All times are the same to
/// the picosecond.
///
/// A link knows when its last message will have left it as soon as it takes the next one, so most messages need no
/// event at their links: the timers that they set at their ends are set when they are sent. Heads that have several
/// links to go, and direct sends, of which several may reach a core at one time, do.
namespace podsim::sw::collectives::engine {

class OwnLinks : public Surroundings {
 public:
  /// A link of topology().representatives().
  const noc::ici::LinkTiming& link(noc::LinkId id) const { return links_[std::size_t(id)]; }
  std::int64_t messages_delivered() const { return delivered_; }
  /// Links taken by all messages.
  std::int64_t hops() const { return hops_; }

  void at(base::Time when, std::uint32_t rank, const Timer& timer) override;
  void send(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message) override;

 protected:
  OwnLinks(const hw::Machine& machine, const noc::FoldedTopology& topology) : Surroundings(machine, topology) {}
  /// Before the first message.
  void make_links();

  /// Whether there is anything that is not done yet.
  bool more_is_due();
  /// When the next is due. Precondition: there is one.
  base::Time next_due() const { return queue_.top().when; }
  /// The core whose timer is next; null for a message on its way.
  const CoreRun* next_core() const { return queue_.top().value.core; }
  /// Does what is due next, at its time.
  void serve_next();
  base::Time served_until() const { return now_; }
  void set_time(base::Time now) { now_ = now; }
  /// Calls a core that is due. An engine may have chips follow a recorded order.
  virtual void serve(const Timer& timer);

 private:
  /// A message with links to go, or one that waits to be delivered in its turn.
  struct Flight {
    CollectiveRun* run = nullptr;
    noc::NodeId node = 0;  ///< that its head has reached
    noc::Coordinates remaining{};
    base::Time tail;
    noc::ici::Message message;
  };
  struct Taken {
    CollectiveRun* run;
    noc::NodeId chip;
    noc::ici::Message message;
  };

  noc::ici::LinkPassage pass(Flight& flight, int dimension, base::Time head);
  /// Tells a core that its first link has taken a message.
  void took(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message, base::Time when);
  void go_on(Flight& flight, const noc::ici::LinkPassage& passage, int dimension, int direction);
  void keep(base::Time when, std::uint32_t rank, int kind, const Flight& flight);
  void perform(const Timer& step);
  void deliver(const Flight& flight, base::Time when);

  base::Time now_;
  std::vector<noc::ici::LinkTiming> links_;
  std::vector<noc::NodeId> link_target_;  ///< by link; -1: none
  base::TimedQueue<Timer> queue_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  /// Messages without a byte that a free link has taken now. Their cores are told after all other timers of this time.
  std::vector<Taken> taken_at_once_;
  std::int64_t delivered_ = 0, hops_ = 0;
};

}  // namespace podsim::sw::collectives::engine
