// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "validation/profile/accessed_arrays.h"

namespace podsim::validation::profile {

/// True if a rebuilt fusion contradicts its own counts: its bytes differ from XLA's by more than a factor of two, or
/// its FLOPs by more than 1.3 and are too many to be hidden by its memory traffic. XLA counts what is updated in place
/// twice; it counts the table of a gather by a rule of its own, so that gathers and scatters are not held to their
/// counts.
bool contradicts_counts(const hlo::Module& module, const FusionFacts& facts);

/// Work on a matrix unit, or on the vector unit alone.
enum class CountedUnit { matrix, vector };

/// Rebuilds a fusion from its counts and results alone: it reads XLA's bytes less those of the results, as one array,
/// and performs its FLOPs as one product of full weight tiles or as element-wise operations.
hlo::Module counted_op(const FusionFacts& facts, CountedUnit unit);

}  // namespace podsim::validation::profile
