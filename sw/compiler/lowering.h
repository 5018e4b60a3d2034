// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "sw/compiler/costs/price_list.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler {

/// Makes the program of a fused module with layouts, in the order of its instructions. Every op is tiled; equal work is
/// compiled once. Calls are inlined. A while loop becomes its condition, its body and a jump back; it runs once if its
/// trip count is unknown. If the branch of a conditional depends on the device number alone
/// (hlo/transform/partition_branch.h), every branch is in the program for the cores that take it; otherwise the
/// branch with the longest time is taken. Unknown trip counts, chosen branches, ops of unknown cost, and sends to other
/// programs are warnings. An asynchronous op or collective starts at its start and ends at its done. The keys [ici] and
/// [host] of the machine are not used, except to find the longest branch if branches have collectives
/// (Program::network_chose_branch).
///
/// Custom calls cost what `prices` say; one without a price there costs the bytes that it moves, with a warning.
///
/// Throws base::SimulationError if an op cannot fit VMEM or a collective in a branch waits for cores that do not take
/// the branch, and base::InputError if a group names a device that does not exist or a price has no value for a call.
/// Tilings come from `cache` if it has them.
Program lower(const hlo::Module& module, const TargetMachine& machine, OpCache* cache = nullptr,
              const costs::PriceList& prices = {});

}  // namespace podsim::sw::compiler
