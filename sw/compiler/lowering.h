// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// The program of a fused and laid-out module, in the order of its instructions. Every op is cut into tiles; equal work
/// is compiled once. Calls are written out; a while loop becomes its condition, its body and a jump back, once where
/// nobody knows how often it runs. Where the number of a device says which branch of a conditional it takes
/// (partition_branch.h), every branch stands there for the cores that take it; else the branch that takes longest is
/// taken. Both guesses, ops that nothing is known of, and sends to other programs are warnings. An asynchronous op or
/// collective starts where its start stands and is over at its done. Of the machine's [ici] and [host] nothing is
/// looked at but for the longest branch where a branch has collectives (Program::network_chose_branch).
///
/// Throws base::SimulationError when an op cannot fit VMEM or a collective in a branch waits for cores that do not take
/// it, base::InputError when a group names a device that is not there. Tiles are looked up in `cache` where there is
/// one.
Program lower(const Module& module, const hw::Machine& machine, OpCache* cache = nullptr);

}  // namespace podsim::sw
