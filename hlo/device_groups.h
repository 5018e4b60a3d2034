// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/graph.h"

/// The devices that each collective of a module joins, by flat id: device r * partitions + p runs partition p of
/// replica r.
namespace podsim::hlo {

/// Expands groups in iota form to lists.
std::vector<std::vector<std::int64_t>> expand(const IotaGroups& groups);

/// Returns the groups of a collective in flat ids, in the order of the text. Groups of flat ids (use_global_device_ids)
/// stay unchanged; groups of partitions (with a channel id) are repeated for every replica, groups of replicas for
/// every partition. A collective without groups joins all ids in one. Throws std::logic_error if the groups name a
/// device that does not exist, or a device twice.
std::vector<std::vector<std::int64_t>> device_groups(const Instruction& instruction, std::int64_t replicas,
                                                     std::int64_t partitions);

/// Returns the pairs of a collective-permute in flat ids, numbered and repeated as the groups of device_groups. Throws
/// std::logic_error if a pair names a device that does not exist.
std::vector<std::pair<std::int64_t, std::int64_t>> device_pairs(const Instruction& instruction, std::int64_t replicas,
                                                                std::int64_t partitions);

}  // namespace podsim::hlo
