// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

namespace podsim::hlo::transform::gradient::of {

/// A loop of n passes, of which n is known, has loops as its gradient. The forward passes run again and keep the state
/// at every k-th of them, k about the root of n; then, from the last segment to the first, the passes of a segment run
/// once more, keep the state of each, and the gradient of the body runs over them backwards. Elements of the state that
/// no pass changes, or that no gradient needs, are not kept.
Rule while_loop;

}  // namespace podsim::hlo::transform::gradient::of
