// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::transform {

/// The same program without calls: one list of instructions that gradient.h can differentiate.
///
/// The bodies of calls and fusions are inlined. A loop whose trip count is known (Instruction::trip_count, or
/// find_trip_count) is written out, one pass after the other; integers that depend on nothing but its counter become
/// constants, and slices at positions that are then known become slices. A loop stays a loop if its count is unknown or
/// if the program would be written out to more than 250,000 instructions; one with a known count then says it. A
/// conditional with a constant index becomes its branch. Bodies of loops with a known count, and branches, are written
/// out too, to at most 30,000 instructions each. Indices of a gather that may be beyond the array are clamped, as the
/// gather does, so that its gradient is that of what it reads. An annotation that returns its operand (annotation.h)
/// becomes a copy with its sharding.
///
/// Parameters keep their names, numbers and shardings, other instructions their names where these stay unique, with a
/// dot and a number after them where they do not. Donations stay.
Module flattened(const Module& module);

}  // namespace podsim::hlo::transform
