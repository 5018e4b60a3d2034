// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/goodput/remaining_slice.h"
#include "workloads/goodput/site.h"

namespace podsim::workloads::goodput {

/// What a slice can still do when one part is dead.
struct Verdict {
  enum class Part { chip, link, host };
  Part part = Part::chip;
  std::string name;                      ///< "(3,4)", "(3,4)x+", "(0,0) to (3,1)"
  std::optional<noc::LinkId> link = {};  ///< of a link, its positive direction
  std::int64_t hops = 0;                 ///< of a link: of the way around it between its ends; 0: there is none
  std::optional<Box> remaining = {};     ///< the largest slice without the part; std::nullopt: none
};

/// Hops between the ends of a link while it is dead in both directions; 0 if no other links join them.
std::int64_t hops_around(const noc::Topology& slice, const noc::Link& link);

/// "chip", "link" or "host".
std::string to_string(Verdict::Part part);

/// A verdict for every chip, link and host: links with both of their directions, also those between the chips of a
/// host. A link whose ends are joined by other links leaves the whole slice, with messages rerouted.
std::vector<Verdict> verdicts(const Site& site);

}  // namespace podsim::workloads::goodput
