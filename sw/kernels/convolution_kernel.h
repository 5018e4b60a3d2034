// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// out[n, y, x, o] = sum of in[n, y s + i - p, x s + j - p, c] * weights[i, j, c, o] as an implicit matmul: for each
/// tap (i, j) and 128 input channels a weight tile, past which the output's pixels stream; nothing is rearranged in
/// HBM.
///
/// Sums are made in the array's order: over 128 channels in f32 from +0, c ascending; those of the taps and channel
/// blocks are added in f32 in the order i, j, block. What lies outside of the input counts as zero. Without input
/// channels the output is zeros; with a window larger than the padded input there is none.
///
/// Layouts: channels in lanes. Images in sublanes ({3,0,2,1}) where that leaves fewer registers, as with a multiple of
/// 8 images; otherwise pixels of a line ({3,2,1,0}). Weights [i, j, c, o] row-major.
KernelFamily conv2d_family();

}  // namespace podsim::sw
