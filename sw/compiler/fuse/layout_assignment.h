// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Chooses the layout of every array that a convolution uses, and gives it to all values of the same dimensions, in the
/// entry as in loops and branches, so that the state of a loop has one layout inside and outside.
///
/// A convolution has a batch and a feature dimension. One becomes the lane dimension and the other the sublane
/// dimension, so that the array takes less memory with its padding; on a tie the feature dimension gets the lanes.
/// Optimised TPU-v3 modules show this choice: bf16[128,56,56,64]{0,3,2,1} but bf16[128,56,56,256]{3,0,2,1}, and
/// f32[1,1,256,64]{2,3,1,0} for the kernel between them; bf16[16,300,300,3]{0,3,2,1}, but bf16[4,208,336,3]{3,0,2,1},
/// where four of eight sublanes are no padding. If a batch below 8 would pad the sublanes, the last spatial dimension
/// gets them where that makes the array smaller: bf16[1,56,56,256]{3,2,1,0}. Convolutions are visited in program order,
/// and the first one to use an array's dimensions decides. Arrays that no convolution uses stay row-major.
void assign_layouts(hlo::Module& module);

}  // namespace podsim::sw::compiler::fuse
