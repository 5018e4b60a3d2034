// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::transform {

/// Drops the instructions that neither the root nor an instruction with effects needs, and renumbers the others.
/// Parameters stay unless `computation.parameters` no longer names them.
void drop_dead(Computation& computation);

/// Drops from every while loop the elements of its state that nothing reads but the element itself, from trip to trip:
/// what a forward loop stores for its gradient. Loops whose state is passed on as a whole keep it.
void drop_unread_loop_state(Module& module);

}  // namespace podsim::hlo::transform
