// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hw/activity.h"
#include "sw/collectives/schedule/collective_schedule.h"

namespace podsim::sw::collectives::schedule {

/// What cores do in a collective, by the schedule alone: the paths of all segments, without times. It counts what
/// engine/core_run.h carries out, by its rules of what is read and written where:
///
///   origin of a flow   reads the segment, of a sum at the other cores of the chip too, and sends it from VMEM
///   partial sum        reads the contribution, adds, and sends on from VMEM; it is written where the flow ends
///   other segment      is written, copied to the other cores of the chip or handed over, and sent on from VMEM
///
/// A message lands in VMEM, and takes as many links as its route has hops.
class CollectiveActivity {
 public:
  /// Both arguments outlive this.
  CollectiveActivity(const hw::Machine& machine, const CollectiveSchedule& schedule)
      : machine_(machine), schedule_(schedule) {}

  /// What a core of the slice does; nothing if it takes no part. What other cores of its chip read and write in its
  /// half of the HBM counts for it, what passes the switch for the core that moves it.
  hw::Activity of(std::int32_t core);

 private:
  /// Segments in a direction, without their routes.
  struct Sent {
    std::int64_t messages = 0;
    base::Bytes bytes;
  };
  /// What one core does in a phase, or in all.
  struct Steps {
    hw::Activity own;
    std::array<Sent, 2> sent{};  ///< in positive and in negative direction; in own when the routes are known
    base::Bytes given;           ///< written to each other core of the group on the chip
    base::Bytes taken;           ///< read from each other core of the chip
  };

  Steps steps_of(std::int32_t core);
  void add_alone(const GroupSchedule& program, int stripe, Steps& steps) const;
  void add_begun(const GroupSchedule& program, std::int32_t core, int stripe, int phase, Steps& steps) const;
  void add_direct(std::int32_t core, int stripe, Steps& steps) const;
  void add_phase(std::int32_t core, int stripe, int phase, Steps& steps);
  /// By position along the dimension of a phase; one for all where they are alike. In a broadcast flows begin at `root`
  /// only; else it is -1.
  const std::vector<Steps>& positions_of(const GroupSchedule& program, int stripe, int phase, std::int32_t root);
  void follow(const GroupSchedule& program, Segment segment, std::int32_t origin, std::vector<Steps>& at) const;
  void arrive(const GroupSchedule& program, const Segment& segment, std::int32_t position, Steps& steps) const;
  void read(std::int64_t elements, bool all_cores, Steps& steps) const;
  void write(std::int64_t elements, Steps& steps) const;
  void give(std::int64_t elements, bool from_hbm, Steps& steps) const;
  void add_up(std::int64_t elements, std::int64_t operands, Steps& steps) const;
  void count_routes(std::int32_t core, const Segment& segment, const Sent& sent, hw::Activity& activity) const;

  const hw::Machine& machine_;
  const CollectiveSchedule& schedule_;
  std::map<std::pair<const Phase*, std::int32_t>, std::vector<Steps>> known_;  ///< by phase and root
};

}  // namespace podsim::sw::collectives::schedule
