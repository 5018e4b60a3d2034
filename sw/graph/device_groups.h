// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sw/graph/graph.h"

/// Which devices a collective of a module joins. Device r * partitions + p runs partition p of replica r (its flat id).
namespace podsim::sw {

/// Groups in iota form, written out.
std::vector<std::vector<std::int64_t>> expand(const IotaGroups& groups);

/// The groups of a collective in flat ids, in the order in which they are written. Groups of flat ids
/// (use_global_device_ids) stand as they are; groups of partitions (a channel id) exist in every replica, groups of
/// replicas in every partition. No groups: all in one. Throws std::logic_error when a group names a device that is not
/// there, or one twice.
std::vector<std::vector<std::int64_t>> device_groups(const Instruction& instruction, std::int64_t replicas,
                                                     std::int64_t partitions);

/// The pairs of a collective-permute in flat ids, likewise.
std::vector<std::pair<std::int64_t, std::int64_t>> device_pairs(const Instruction& instruction, std::int64_t replicas,
                                                                std::int64_t partitions);

}  // namespace podsim::sw
