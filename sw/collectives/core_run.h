// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include "sw/collectives/collective_run.h"
#include "sw/collectives/schedule_walker.h"

namespace podsim::sw {

/// One core in a timed collective: walks the schedule of the colours it owns and charges what every action takes.
///
///  - exchange: the parts a core does not own are copied segment by segment to their owners' HBM: read here, through
///  the
///    switch, written there, each an occupancy, plus the DMA latencies once. When all copies of the chip are there, its
///    colours begin together; an owner adds the copies as it first sends or sums each segment.
///  - sending: every link direction has a queue with two segments in the works, one on the wire and one being read, so
///    a link waits for HBM only when HBM is the bottleneck, and two cores share a link segment by segment.
///  - reduce-scatter: an arrived segment is seen after the flag latency (remote_dma_latency less the hop), the core's
///    own contribution is read from HBM, the vector unit adds, and the sum is sent on from VMEM; where a flow ends the
///    sum is written to HBM. Latencies of these local DMAs are hidden by prefetch: what will arrive is known.
///  - all-gather: an arrived segment is sent on at once, written to HBM, and copied through the switch to the HBM of
///    the chip's other cores.
/// A core is done when it holds everything and its links have taken all it had to send.
class CoreRun : public ScheduleActions {
 public:
  CoreRun(CollectiveRun& run, noc::NodeId chip, int core);

  void start();
  /// From the port: the tag is a packed token.
  void arrived(std::uint64_t tag);
  void link_took(std::uint64_t tag);
  void due(const CollectiveEngine::Timer& timer);

  void stage_entered(int colour, int stage) override;
  void originate(const Token& first) override;
  void absorb(const Token& token) override;
  void forward(const Token& arrived, const Token& next) override;
  void gathered(int colour) override;

 private:
  /// What is due, in the order among events of one time.
  enum Kind { started, link_free, seen, absorbed, ready, copy_read, copy_crossed, copy_landed };
  enum class Copy { exchange, shard, whole };

  struct SendItem {
    Token token;           ///< the next segment to send
    std::int32_t end = 0;  ///< one past the last
    bool from_hbm = false;
  };
  struct SendQueue {
    std::deque<SendItem> items;
    int in_works = 0;
  };
  /// A range that is read from HBM segment by segment and copied to other cores of the chip.
  struct CopyStream {
    Copy what;
    int colour;
    std::int64_t elements;
    std::int32_t next = 0;
  };

  const AllReduceSchedule& schedule() const;
  CollectiveEngine& engine() const;
  CoreResources& resources() const;
  const Stage& stage_of(const Token& token) const { return schedule().stages(token.colour)[token.stage]; }
  ScheduleWalker& walker(int colour) { return walkers_[colour / schedule().cores_per_chip()]; }
  std::int32_t position(const Token& token) const { return at_[stage_of(token).dimension]; }
  SendQueue& queue(const Token& token) { return queues_[2 * stage_of(token).dimension + (token.direction < 0)]; }
  std::uint32_t rank(Kind kind, const Token& token) const;
  void timer(base::Time when, Kind kind, const Token& token, std::int64_t amount = 0);

  void begin();
  /// Started, and the copies of the parts it owns are all here.
  bool exchanged() const;
  /// The cores of a chip begin their colours together, so that the colours stay on different links.
  void begin_colours_when_exchanged();
  void begin_colour(int colour);
  /// Contributions of this core's chip still apart in its HBM: all cores' before the first stage has summed them.
  std::int64_t contributions(int stage) const { return stage == 0 ? schedule().cores_per_chip() : 1; }
  base::Time read_and_add(std::int64_t elements, std::int64_t from_hbm, std::int64_t operands);
  void enqueue(const SendItem& item);
  void feed(SendQueue& queue);
  void send(const Token& token);
  void open_copy(Copy what, int colour, std::int64_t elements);
  void copy_next(std::int64_t stream);
  void copy_to_others(int colour, std::int64_t elements);
  void cross(int to, int colour, std::int64_t elements);
  void copy_read_done(std::int64_t stream);
  void landed(int colour, std::int64_t elements);
  void finish_if_done();
  void show_phase(int colour, int direction);

  CollectiveRun& run_;
  noc::NodeId chip_;
  int core_;
  noc::Coordinates at_;
  std::vector<ScheduleWalker> walkers_;  ///< of the owned colours
  std::vector<std::int64_t> missing_;    ///< per colour: elements still to be copied here by the chip's other cores
  std::vector<SendQueue> queues_;
  std::vector<CopyStream> copies_;
  std::int64_t unsent_ = 0;  ///< segments queued or in the works
  std::size_t ungathered_;   ///< owned colours whose all-gather is not complete
  bool started_ = false;
  bool finished_ = false;
};

}  // namespace podsim::sw
