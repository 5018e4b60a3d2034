// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/units.h"
#include "hlo/graph.h"
#include "sw/compiler/program.h"

namespace podsim::sw::compiler {

/// Bytes that the host sends a core for each step of a module without infeeds, not padded: the entry parameters that no
/// output replaces. Zero for a module without donations, where nothing tells the batch from weights.
base::Bytes batch_bytes(const hlo::Module& module, std::span<const hlo::Donation> donations);

/// Bytes of what a module keeps from step to step, not padded: of each entry parameter, or element of one, that an
/// output replaces, in their order. Empty for a module without donations.
std::vector<base::Bytes> state_bytes(const hlo::Module& module, std::span<const hlo::Donation> donations);

/// Makes every step of a program without infeeds begin with the wait for a batch of `bytes`, which the host writes to
/// where the program reads it. Leaves a program with infeeds as it is.
void wait_for_batch(Program& program, base::Bytes bytes);

}  // namespace podsim::sw::compiler
