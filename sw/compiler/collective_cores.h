// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "hlo/graph.h"

namespace podsim::sw::compiler {

/// The cores of the slice that each collective of a module joins: device d is core d. A step has many collectives over
/// few sets of groups, so each set is computed once, from any form of the text.
class CollectiveCores {
 public:
  using Groups = std::vector<std::vector<std::int32_t>>;

  CollectiveCores(std::int64_t replicas, std::int64_t partitions) : replicas_(replicas), partitions_(partitions) {}

  /// Returns groups of cores; the pairs of a collective-permute; empty if the text names no groups, which means all
  /// cores. Equal groups are the same object, valid as long as this. Throws base::InputError naming the instruction if
  /// a group names a device that does not exist, or a device twice.
  const Groups& of(const hlo::Instruction& instruction);
  /// Returns the groups for a collective that only `cores`, in ascending order, reach: those among them, as computed by
  /// groups_within of hlo/transform/partition_branch.h.
  const Groups& within(std::span<const std::int32_t> cores, const hlo::Instruction& instruction);

 private:
  Groups work_out(const hlo::Instruction& instruction) const;

  std::int64_t replicas_, partitions_;
  std::set<Groups> groups_;
  std::map<std::vector<std::int64_t>, const Groups*>
      known_;  ///< key: all fields of the instruction that the groups depend on
};

}  // namespace podsim::sw::compiler
