// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hw/chip/joint_moves.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/engine/message_tag.h"
#include "sw/collectives/engine/send_queue.h"
#include "sw/collectives/schedule/schedule_walker.h"

namespace podsim::sw::collectives::engine {

/// One core in a timed collective. It walks the schedule of its stripes and charges the time of every action:
///
///  - launch: a core begins after the launch (schedule/launch.h) since it has reached the collective. Where the first
///    phase sums the contributions of a chip's cores, these begin together.
///  - sending: every link direction has a queue with two segments in flight, one on the wire and one being read, so
///    that a link waits for HBM only where HBM is the bottleneck. Cores share a link segment by segment. Segments to
///    another core of the chip pass the switch.
///  - partial sums: an arrived segment is seen after the flag latency (IciParameters::end_latency()). The core's
///    contribution is read from HBM, in the first phase also those of the chip's other cores, through the switch. The
///    vector unit adds, and the sum is sent on from VMEM; where a flow ends the sum is written to HBM. The latencies of
///    these local DMAs are hidden by prefetch, because the schedule of arrivals is known.
///  - exchange: the chunks for positions ahead are sent on at once, before flows that start here, so that little waits
///    in VMEM. The rest is written to HBM, in the last exchange the parts of the chip's other cores to theirs.
///  - all-gather, broadcast: an arrived segment is sent on at once, written to HBM, and copied through the switch to
///    the HBM of the chip's other cores. Such a copy takes the longest of reading, switch and writing, and the
///    latencies of a DMA.
///
/// A core is done when it holds all its results and its links have taken everything that it had to send.
class CoreRun : public schedule::ScheduleActions {
 public:
  CoreRun(CollectiveRun& run, noc::NodeId chip, int core);

  CollectiveRun& run() const { return run_; }
  noc::NodeId chip_number() const { return chip_; }
  int number() const { return core_; }  ///< within its chip

  void start();
  /// A message arrives here, or a link has taken one sent from here, at a time that is not past.
  void arrived(const MessageTag& tag, base::Time when);
  void link_took(const MessageTag& tag, const noc::Coordinates& hops, base::Time when);
  void due(const Surroundings::Timer& timer);

  void phase_entered(int stripe, int phase) override;
  void originate(const Segment& first) override;
  void absorb(const Segment& segment) override;
  void forward(const Segment& next) override;
  void gathered(int stripe) override;
  void phase_left(int stripe) override;

 private:
  /// Timers, in their order among those of one time.
  enum Kind { started, link_free, seen, absorbed, ready, reduced, shared };

  const schedule::GroupSchedule& program() const { return *program_; }
  const schedule::CollectiveSchedule& schedule() const;
  Surroundings& engine() const;
  hw::chip::ChipTransfers& chip() const;
  base::trace::Probe<std::string>& phase() const;
  std::int32_t position(const Segment& segment) const { return program_->position(segment, at_); }
  std::size_t walker_of(int stripe) const;
  schedule::Route route(const Segment& segment) const;
  /// The queue of the first link along `hops`; the last queue where the target is on the same chip.
  std::size_t queue_of(const noc::Coordinates& hops) const;
  std::uint32_t rank(Kind kind, int stripe, std::size_t queue) const;
  void timer(base::Time when, Kind kind, const Segment& segment, std::size_t queue = 0);

  void begin();
  void begin_together();
  void begin_stripes();
  void begin_alone(int stripe);
  /// The cores of the chip that are in this core's group, itself included.
  std::vector<CoreRun*> cores_together();
  /// Begins to move elements between two memories of the chip.
  hw::chip::MoveEnd move(const hw::chip::CoreMemory& from, const hw::chip::CoreMemory& to, std::int64_t elements);
  /// Reads elements from this core's HBM, with `all_cores` also from those of the other cores.
  hw::chip::JointMoves read_from_cores(std::int64_t elements, bool all_cores);
  /// Adds `operands` arrays that are available at the time `there`. Returns the time at which the sum is available.
  base::Time add_up(std::int64_t elements, base::Time there, std::int64_t operands);
  hw::chip::JointMoves contribution(const Segment& segment, std::int64_t elements, bool all_cores);
  /// Sets a timer for the time at which the sum of `operands` arrays of `elements` each, which `reads` bring, is
  /// available and `written` has ended.
  void sum_then(hw::chip::JointMoves reads, std::int64_t elements, std::int64_t operands, hw::chip::JointMoves written,
                Kind kind, const Segment& segment, std::size_t queue = 0);
  /// Writes elements to this core's HBM.
  hw::chip::JointMoves write(std::int64_t elements);
  hw::chip::JointMoves no_moves() const { return hw::chip::JointMoves(engine().now()); }
  void add(const Segment& segment);
  void originate_direct(const Segment& first);
  void enqueue(std::size_t queue, const SendItem& item);
  void feed(std::size_t queue);
  /// Removes the segment at the head of a queue.
  void advance(std::size_t queue);
  /// The first peer, from `segment.distance` upward, that is reached through a queue; past the last if there is none.
  std::int32_t next_peer(Segment segment, std::size_t queue) const;
  std::int64_t elements_to_send(const Segment& segment) const;
  void send(const Segment& segment, std::size_t queue);
  void cross(const Segment& segment, const schedule::Route& route, std::size_t queue);
  /// Copies a range to the same position in every other core of the group on this chip.
  void copy_to_others(ElementRange range, bool from_hbm);
  /// Moves `elements` to each of these cores, from HBM or from VMEM.
  void give_to_others(std::int64_t elements, bool from_hbm);
  void receive_copy(std::int64_t elements, base::Time when);
  void finish_if_done();
  void show_phase(const Segment& segment);

  CollectiveRun& run_;
  const schedule::GroupSchedule* program_;
  noc::NodeId chip_;
  int core_;
  std::int32_t full_core_;  ///< core of the slice; in a folded slice, of the chip that the representative has there
  noc::Coordinates at_;
  std::vector<schedule::ScheduleWalker> walkers_;  ///< of this core's stripes
  std::vector<schedule::Route> neighbours_;        ///< by dimension of the grid and direction
  std::vector<SendQueue> queues_;  ///< by dimension of the slice and direction, and one for the chip itself
  std::int64_t unsent_ = 0;        ///< segments queued or in flight
  std::int64_t unshared_ = 0;      ///< elements still to be copied here by the chip's other cores
  base::Time shared_at_;           ///< when the copies so far have landed
  std::size_t ungathered_;         ///< stripes that are not complete
  /// The last read of a contribution to a flow; the next one of its phase is not available before `ready`.
  struct FlowRead {
    int phase = -1;
    base::Time ready;
  };
  std::vector<FlowRead> reads_;  ///< by walker and direction
  bool started_ = false;
  bool finished_ = false;
  /// A ring step in the waveform.
  struct ShownStep {
    int stripe, phase;
    std::int64_t number;
    bool operator==(const ShownStep&) const = default;
  };
  std::optional<ShownStep> shown_;
};

}  // namespace podsim::sw::collectives::engine
