// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Combines all-reduces, reduce-scatters and all-gathers that have the same groups and element type (and combiner, and
/// dimension) into collectives of several arrays, in program order, of at most `threshold` bytes each; a larger array
/// stays single. Fewer, larger collectives pay the latency of the rings once. Applies to the entry and to the bodies of
/// loops and branches.
///
/// A combined collective is at the position of its last member. Only elementwise work and reductions may have to wait
/// longer for it than before: a collective is not combined if its result reaches a product or another collective before
/// that position. All-gathers of weights and inputs (parameters and parts of them, converted or not) are at the
/// position of the first member instead. So at most about `threshold` bytes of each kind are live longer than before,
/// and all other instructions keep their order.
hlo::Module combine_collectives(hlo::Module module, base::Bytes threshold);

}  // namespace podsim::sw::compiler::fuse
