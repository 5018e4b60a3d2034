// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "noc/folded_topology.h"
#include "noc/ici/links.h"

namespace podsim::sw::runtime {

/// Bytes on each link of the simulated chips, by LinkId, from step to step of the first core. Trips that are not
/// simulated count as if they were.
class LinkBytes {
 public:
  using Counts = std::vector<base::Bytes>;

  /// The links are those of the topology's representatives; both outlive this. The first step begins now.
  LinkBytes(const noc::ici::Links& links, const noc::FoldedTopology& topology);

  /// Since the links were made.
  Counts carried() const;
  /// Adds what the links would have carried in `times` trips that are skipped.
  void add_skipped(const Counts& of_a_trip, std::int64_t times);
  void step_ended();
  /// On every link of the slice in the last step; zero if no step has ended. A link of a folded slice carries the same
  /// bytes as the link that represents it.
  Counts of_last_step() const;

 private:
  const noc::ici::Links& links_;
  const noc::FoldedTopology& topology_;
  Counts skipped_, before_, step_;  ///< before_: when the step began; step_: empty before a step has ended
};

/// after - before, by link.
LinkBytes::Counts difference(const LinkBytes::Counts& after, const LinkBytes::Counts& before);

}  // namespace podsim::sw::runtime
