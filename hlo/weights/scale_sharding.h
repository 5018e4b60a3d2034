// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hlo/sharding.h"
#include "hlo/weights/typed_weights.h"

namespace podsim::hlo::weights {

/// The sharding of a weight's scales: that of the weight along the dimensions that the scales have, replicated where
/// they share. Null if `weight` is.
std::shared_ptr<const Sharding> scale_sharding(const Sharding* weight, const TypedWeight& typed, int rank);

}  // namespace podsim::hlo::weights
