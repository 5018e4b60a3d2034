// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::spmd::propagate {

/// Gives each reader an iota, or a broadcast of a scalar constant, of its own, so that no sharding spreads from one
/// reader to another which has nothing in common with it but numbers, as XLA's HloConstantSplitter does. Values with an
/// annotation, and those that the root is, stay one. Values of the program are the same.
hlo::Module give_own_constants(hlo::Module module);

}  // namespace podsim::hlo::spmd::propagate
