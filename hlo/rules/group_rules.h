// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

/// Rules about devices, in addition to those about shapes alone.
namespace podsim::hlo::rules {

/// Throws std::logic_error if a collective's groups name a device that does not exist or one twice, if they differ in
/// size where all members exchange equal parts, or if the shapes are not those that groups of this size give. A
/// collective without groups in a module of one device is not checked: nothing says how many devices it joins.
void verify_groups(const Instruction& instruction, const Computation& computation, std::int64_t replicas,
                   std::int64_t partitions);

/// Throws std::logic_error if the operand and the result of SPMDFullToShardShape or SPMDShardToFullShape are not the
/// whole and the shard of one array, by the shardings that both have.
void verify_shard_shape(const Instruction& instruction, const Computation& computation);

}  // namespace podsim::hlo::rules
