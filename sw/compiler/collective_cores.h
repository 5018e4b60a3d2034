// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// The cores of the slice that each collective of a module joins: device d is core d. A step has many collectives over
/// few sets of groups: each set is worked out once, from whichever form the text has.
class CollectiveCores {
 public:
  using Groups = std::vector<std::vector<std::int32_t>>;

  CollectiveCores(std::int64_t replicas, std::int64_t partitions) : replicas_(replicas), partitions_(partitions) {}

  /// Groups of cores; of a collective-permute pairs; none where the text names no groups, which means all. Equal groups
  /// are the same object, which lives as long as this. base::InputError naming the instruction where a group names a
  /// device that is not there, or one twice.
  const Groups& of(const Instruction& instruction);
  /// The same for a collective that only `cores` (rising) reach: the groups among them, as groups_within of
  /// partition_branch.h gives them.
  const Groups& within(std::span<const std::int32_t> cores, const Instruction& instruction);

 private:
  Groups work_out(const Instruction& instruction) const;

  std::int64_t replicas_, partitions_;
  std::set<Groups> groups_;
  std::map<std::vector<std::int64_t>, const Groups*> known_;  ///< by what the instruction says
};

}  // namespace podsim::sw
