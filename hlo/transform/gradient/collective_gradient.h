// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

/// The gradients of collectives. The loss is the sum of the devices' losses, so that a device's value has the gradients
/// of all its copies: an all-gather has the reduce-scatter of the gradients, a reduce-scatter the all-gather, an
/// all-reduce that adds the all-reduce; an all-to-all is its own inverse, and a permute goes back.
namespace podsim::hlo::transform::gradient::of {

Rule all_reduce, all_gather, reduce_scatter, all_to_all, collective_permute;

}  // namespace podsim::hlo::transform::gradient::of
