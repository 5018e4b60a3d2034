// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/collective_costs.h"

#include <algorithm>

#include "sw/collectives/schedule/assumed_slice.h"

namespace podsim::sw::compiler {

CollectiveCosts::CollectiveCosts(const hw::Machine& machine, std::int64_t devices)
    : machine_(machine),
      slice_(collectives::schedule::assumed_slice(machine, devices > 1 ? devices : 0)),
      times_(machine) {}

base::Duration CollectiveCosts::of(const CollectiveOp& collective) {
  const auto [known, is_new] = known_.try_emplace(collective);
  if (!is_new) return known->second;
  const auto groups = collective.groups.empty()
                          ? collectives::CollectiveGroups::all(slice_, int(machine_.cores_per_chip))
                          : collectives::CollectiveGroups(collective.groups);
  const std::int64_t elements = collective.bytes.value() / ir::byte_width(collective.element_type);
  return known->second = times_.estimate(
             slice_, groups, {collective.kind, collective.element_type, std::max<std::int64_t>(1, elements)});
}

}  // namespace podsim::sw::compiler
