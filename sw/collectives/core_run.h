// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/collectives/collective_run.h"
#include "sw/collectives/schedule_walker.h"

namespace podsim::sw::collectives {

/// One core in a timed collective: walks the schedule of the colours it works on and charges what every action takes.
///
///  - launch: a core begins compiler.collective_launch after it has reached the collective. Where the first stage sums
///    the contributions of a chip's cores, they begin together.
///  - sending: every link direction has a queue with two segments in the works, one on the wire and one being read, so
///    a link waits for HBM only when HBM is the bottleneck, and cores share a link segment by segment. What goes to
///    another core of the chip passes the switch.
///  - reduce-scatter: an arrived segment is seen after the flag latency (remote_dma_latency less the hop), the core's
///    own contribution is read from HBM, in the first stage also those of the chip's other cores, through the switch;
///    the vector unit adds, and the sum is sent on from VMEM; where a flow ends the sum is written to HBM. Latencies of
///    these local DMAs are hidden by prefetch: what will arrive is known.
///  - exchange: of an arrived segment what goes on does so at once, before what starts here, so that little waits in
///    VMEM; the rest is written to HBM, in the last exchange the parts of the chip's other cores to theirs.
///  - all-gather, broadcast: an arrived segment is sent on at once, written to HBM, and copied through the switch to
///    the HBM of the chip's other cores. Such a copy takes the longest of reading, switch and writing, and the
///    latencies of a DMA.
/// A core is done when it holds everything and its links have taken all it had to send.
class CoreRun : public ScheduleActions {
 public:
  CoreRun(CollectiveRun& run, noc::NodeId chip, int core);

  void start();
  /// From the port.
  void arrived(const MessageTag& tag);
  void link_took(const MessageTag& tag, const noc::Coordinates& hops);
  void due(const CollectiveEngine::Timer& timer);

  void phase_entered(int stripe, int phase) override;
  void originate(const Segment& first) override;
  void absorb(const Segment& segment) override;
  void forward(const Segment& next) override;
  void gathered(int stripe) override;

 private:
  /// What is due, in the order among events of one time.
  enum Kind { started, link_free, seen, absorbed, ready, reduced, shared };

  struct SendItem {
    Segment segment;       ///< the next segment to send
    std::int32_t end = 0;  ///< one past the last
    bool from_hbm = false;
  };
  /// First in, first out, without a heap of its own while it is empty.
  struct SendQueue {
    std::vector<SendItem> items;
    std::size_t head = 0;
    std::size_t passing = 0;  ///< items that go before those which start here
    int in_flight = 0;
    bool empty() const { return head == items.size(); }
  };

  const GroupSchedule& program() const { return *program_; }
  const CollectiveSchedule& schedule() const;
  CollectiveEngine& engine() const;
  CoreResources& resources() const;
  std::int32_t position(const Segment& segment) const {
    return at_[std::size_t(program_->phase_of(segment).dimension)];
  }
  std::size_t walker_of(int stripe) const;
  Route route(const Segment& segment) const;
  /// The queue of the first link along some hops, the last one for what stays on the chip.
  std::size_t queue_of(const noc::Coordinates& hops) const;
  std::uint32_t rank(Kind kind, int stripe, std::size_t queue) const;
  void timer(base::Time when, Kind kind, const Segment& segment, std::size_t queue = 0);

  /// What takes so long on a healthy chip.
  base::Time slowed(base::Time time) const;
  void begin();
  void begin_together();
  void begin_stripes();
  void begin_alone(int stripe);
  base::Time read_and_add(std::int64_t elements, bool all_cores, std::int64_t operands);
  void originate_direct(const Segment& first);
  void enqueue(std::size_t queue, const SendItem& item);
  void feed(std::size_t queue);
  void advance(SendQueue& sends, std::size_t queue);
  /// The first peer from `token.distance` on whose messages go through a queue; past the last when there is none.
  std::int32_t next_peer(Segment segment, std::size_t queue) const;
  void send(const Segment& segment, std::size_t queue);
  void cross(const Segment& segment, const Route& route, std::size_t queue);
  void copy_to_others(ElementRange range, bool from_hbm);
  /// Gives `elements` elements to every other core of the group on this chip.
  void give_to_others(std::int64_t elements, bool from_hbm);
  void absorb_exchange(const Segment& segment);
  void receive_copy(std::int64_t elements, base::Time when);
  void finish_if_done();
  void show_phase(const Segment& segment);

  CollectiveRun& run_;
  const GroupSchedule* program_;
  noc::NodeId chip_;
  int core_;
  std::int32_t full_core_;  ///< of the slice: the one that this core stands for where it is folded
  noc::Coordinates at_;
  std::vector<ScheduleWalker> walkers_;  ///< of the colours it works on
  std::vector<Route> neighbours_;        ///< per dimension of the grid and direction
  std::vector<SendQueue> queues_;
  std::int64_t unsent_ = 0;    ///< segments queued or in the works
  std::int64_t unshared_ = 0;  ///< elements still to be copied here by the chip's other cores
  base::Time shared_at_;       ///< when the copies so far have landed
  std::size_t ungathered_;     ///< colours not complete
  bool started_ = false;
  bool finished_ = false;
};

}  // namespace podsim::sw::collectives
