// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "hw/machine.h"
#include "sw/collectives/collective_schedule.h"

/// What a collective takes by formula: to choose an algorithm, and to stand beside the simulated figure.
namespace podsim::sw::collectives {

/// The modelled time of a schedule on an idle slice:
///
///   launch + sum over the phases of (steps * (longest message / b + L) + what the busiest link carries beyond them /
///   b)
///
/// with the link's payload rate b (groups that have one core each on the same chips get equal parts of it), and L
/// from the start of a message's last byte to the next message that depends on it: remote-DMA latency, the segment read
/// from HBM and added. Phases of the orders of a schedule run side by side, but for those along one dimension; the
/// longest counts. For a collective-permute: launch + what the busiest link carries / b + L, and a hop's latency for
/// every further hop of the longest route.
base::Duration modelled_time(const hw::Machine& machine, const CollectiveSchedule& schedule);

/// Textbook time of one-direction rings of whole chunks, over the dimensions of a group in the order of visit:
/// 2 (X-1)(S/(X b) + L) + 2 (Y-1)(S/(X Y b) + L) + ... for an all-reduce of S per chip, half of that for reduce-scatter
/// and all-gather; of an all-to-all (X-1)(c S/(2 b) + L) + ... with c ranks a chip, each block going the half of a ring
/// on average; L is the remote-DMA latency alone. S/b + L for the rest.
base::Duration closed_form(const hw::Machine& machine, const CollectiveSchedule& schedule);

/// No collective is faster: what a chip must send or receive at least, over the rate of all its links together; of an
/// all-reduce 2 S (N-1)/N for N chips in a group.
base::Duration lower_bound(const hw::Machine& machine, const CollectiveSchedule& schedule);

/// The algorithm with the shortest modelled time, and why.
struct AlgorithmChoice {
  struct Candidate {
    Algorithm algorithm;
    base::Duration modelled;
  };
  std::shared_ptr<const CollectiveSchedule> schedule;
  std::vector<Candidate> candidates;  ///< fastest first
  std::string reason;
};
AlgorithmChoice choose_algorithm(const hw::Machine& machine, const noc::Topology& slice, const CollectiveGroups& groups,
                                 const CollectiveRequest& request);

}  // namespace podsim::sw::collectives
