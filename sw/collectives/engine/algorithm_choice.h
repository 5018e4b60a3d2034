// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sw/collectives/engine/slice_part.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/target_machine.h"

namespace podsim::hw {
struct Machine;
}

/// Times of collectives on an idle slice before they run in a step: algorithms and placements are chosen by them, ops
/// are ordered and branches chosen.
///
/// A time is simulated, at message level, on the parts of the slice that differ (slice_part.h), each content once.
/// Where flows have more than 48 segments, the largest power of two of elements with 48 at most and half of it are
/// simulated, once for all payloads, and the rest is added at the rate of their difference: a pipeline that is full
/// goes on at one rate. Direct sends of an all-to-all of more than 20,000 messages take the time of their formula
/// (patterns/direct.h).
///
/// Direct sends are compared with other algorithms by their modelled time over packets: packets wait for each other at
/// every turn, which messages do not show, so that by messages they would win where they lose on a network.
namespace podsim::sw::collectives::engine {

/// The fastest algorithm, and the reason in words.
struct AlgorithmChoice {
  struct Candidate {
    Algorithm algorithm;
    base::Duration time;  ///< zero for the only candidate, which is not simulated; over packets for direct sends
  };
  std::shared_ptr<const schedule::CollectiveSchedule> schedule;
  std::vector<Candidate> candidates;  ///< fastest first; without those that the formula rules out
  std::string reason;
};

/// Keeps what it has simulated.
class CollectiveTimes {
 public:
  explicit CollectiveTimes(const TargetMachine& machine) : machine_(machine) {}

  /// The time of a collective with an algorithm. `groups` are pairs for a collective-permute.
  base::Duration time(const noc::Topology& slice, const CollectiveGroups& groups,
                      const schedule::CollectiveRequest& request, Algorithm algorithm);
  /// Compares the algorithms, without `line`: it is y_then_x where that has no rings, and never faster. Except for
  /// broadcasts, those that take more than 1.7 times the least time by formula (schedule/collective_estimate.h), beyond
  /// the launch, are left out: the formulas of two algorithms miss their ratio by less. Equal times go to the earlier
  /// algorithm. The least time of several that grow with the bytes grows too, which that of the first within a
  /// tolerance would not.
  AlgorithmChoice choose(const noc::Topology& slice, const CollectiveGroups& groups,
                         const schedule::CollectiveRequest& request);
  /// The time of a collective with the algorithm that choose() takes.
  base::Duration min_time(const noc::Topology& slice, const CollectiveGroups& groups,
                          const schedule::CollectiveRequest& request);
  /// The least time of the algorithms by formula, direct sends over packets: for a compiler, which asks before a slice
  /// is chosen (schedule/assumed_slice.h), and to rule out most of many placements.
  base::Duration estimate(const noc::Topology& slice, const CollectiveGroups& groups,
                          const schedule::CollectiveRequest& request) const;

 private:
  using Parts = std::vector<SlicePart>;

  std::shared_ptr<const schedule::CollectiveSchedule> schedule_of(const SlicePart& part,
                                                                  const schedule::CollectiveRequest& request,
                                                                  Algorithm algorithm) const;
  double formula(const Parts& parts, const schedule::CollectiveRequest& request, Algorithm algorithm) const;
  /// Those that may be the fastest.
  std::vector<Algorithm> promising(const Parts& parts, const schedule::CollectiveRequest& request,
                                   std::vector<Algorithm> able) const;
  std::vector<AlgorithmChoice::Candidate> compare(const noc::Topology& slice, const Parts& parts,
                                                  const schedule::CollectiveRequest& request);
  double seconds(const Parts& parts, const schedule::CollectiveRequest& request, Algorithm algorithm);
  double part_seconds(const SlicePart& part, const schedule::CollectiveRequest& request, Algorithm algorithm);
  double simulated(const SlicePart& part, const schedule::CollectiveRequest& request, Algorithm algorithm) const;
  /// The largest power of two of elements of which no flow has more than 48 segments; `segments` are those of the
  /// request, more than 48.
  std::int64_t longest_simulated(const SlicePart& part, schedule::CollectiveRequest request, Algorithm algorithm,
                                 std::int32_t segments) const;

  TargetMachine machine_;
  std::map<std::string, double> known_;  ///< seconds, by content
};

/// The choice of a CollectiveTimes that is used once.
AlgorithmChoice choose_algorithm(const TargetMachine& machine, const noc::Topology& slice,
                                 const CollectiveGroups& groups, const schedule::CollectiveRequest& request);

}  // namespace podsim::sw::collectives::engine
