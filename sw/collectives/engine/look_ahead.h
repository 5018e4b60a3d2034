// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/timed_queue.h"
#include "noc/ici/links.h"
#include "noc/ici/service_order.h"
#include "sw/collectives/engine/surroundings.h"
#include "sw/target_machine.h"

namespace podsim::sw::collectives::schedule {
class CollectiveSchedule;
}  // namespace podsim::sw::collectives::schedule

/// Surroundings that look ahead: they have the timers of all cores in one queue and drive the links of a pod
/// (noc/ici/links.h) themselves, in the order of time, without going back to an event kernel after each. How far they
/// may go, the quantum, is a matter of who uses them. Without links they serve timers only, and messages go elsewhere.
///
/// What is due at one time is served in this order: heads of messages at links, then timers by rank. That is the order
/// in which a fabric at the simulated time and an engine that works after it would do the same.
namespace podsim::sw::collectives::engine {

class CollectiveData;

/// Called at the time at which a core is done with a collective.
using OnFinish = std::function<void(noc::NodeId chip, int core)>;

class LookAhead : public Surroundings, private noc::ici::IciClient {
 public:
  ~LookAhead() override;

  /// Makes a record of the actions of each chip's cores. Call before the first collective, as the next one.
  void record(std::vector<noc::ici::ServiceOrder>& orders);
  /// Has every chip act in the order of another record, which was made of the same collective on `recorded`, a folding
  /// of this topology.
  void follow(const std::vector<noc::ici::ServiceOrder>& orders, const noc::FoldedTopology& recorded);

  void at(base::Time when, std::uint32_t rank, const Timer& timer) override;
  /// A message of this chip takes its first link behind all heads that have reached it by now.
  void send(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message) override;

 protected:
  /// `links` are those of a pod over which no other client sends; null: messages go elsewhere.
  LookAhead(const TargetMachine& machine, const noc::FoldedTopology& topology, noc::ici::Links* links);

  CollectiveRun& add_run(std::shared_ptr<const schedule::CollectiveSchedule> schedule, OnFinish on_finish,
                         CollectiveData* data);
  /// Frees the runs, with their times, if all of them are finished.
  void forget_runs();
  /// The run with a channel; null if there is none.
  const CollectiveRun* run_of(std::uint32_t channel) const;
  bool has_links() const { return links_ != nullptr; }

  /// Whether there is anything that is not done yet.
  bool more_is_due();
  /// When the next is due. Precondition: there is one.
  base::Time next_due() const { return head_is_next() ? links_->next_due() : timers_.top().when; }
  /// The core whose timer is next; null for a head at a link.
  const CoreRun* next_core() const { return head_is_next() ? nullptr : timers_.top().value.core; }
  /// Does what is due next, at its time.
  void serve_next();
  base::Time served_until() const { return now_; }
  void set_time(base::Time now) { now_ = now; }

 private:
  struct Taken {
    CollectiveRun* run;
    noc::NodeId chip;
    noc::ici::Message message;
  };

  void message_taken(noc::NodeId chip, const noc::ici::Message& message, base::Time when) override;
  void message_received(noc::NodeId chip, const noc::ici::Message& message, base::Time when) override;
  bool head_is_next() const {
    return links_ != nullptr && links_->active() && (timers_.empty() || links_->next_due() <= timers_.top().when);
  }
  void serve(const Timer& timer);

  noc::ici::Links* links_;
  base::Time now_;
  base::TimedQueue<Timer> timers_;
  std::vector<std::unique_ptr<CollectiveRun>> runs_;  ///< by channel, from 1 on
  /// Messages without a byte that a free link has taken now. Their cores are told after all other timers of this time.
  std::vector<Taken> taken_at_once_;
  std::vector<noc::ici::ServiceOrder>* record_ = nullptr;
  std::vector<noc::ici::OrderedService<Timer>> services_;  ///< by chip; empty without an order to follow
};

}  // namespace podsim::sw::collectives::engine
