// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"

namespace podsim::sw {

/// Chooses the layout of every array a convolution touches and gives it to all values of the same dimensions.
///
/// Of the two dimensions that a convolution treats as batch and feature, the one that wastes less when padded to 128
/// becomes the lane dimension, the other the sublane dimension; on a tie the feature dimension gets the lanes. That is
/// what optimised TPU-v3 modules show: bf16[128,56,56,64]{0,3,2,1} but bf16[128,56,56,256]{3,0,2,1}, and
/// f32[1,1,256,64]{2,3,1,0} for the kernel between them. A batch below 8 that would pad the sublanes leaves them to the
/// last spatial dimension where that makes the array smaller: bf16[1,56,56,256]{3,2,1,0}. Convolutions are visited in
/// program order and the first one to name an array's dimensions decides. Arrays that no convolution touches stay
/// row-major.
void assign_layouts(Computation& computation);

}  // namespace podsim::sw
