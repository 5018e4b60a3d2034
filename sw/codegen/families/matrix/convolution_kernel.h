// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::matrix {

/// out[n, y, x, o] = sum of in[n, y s + i - p, x s + j - p, c] * weights[i, j, c, o] as an implicit matmul. Each tap
/// (i, j) and block of 128 input channels has a weight tile, past which the output's pixels stream. Nothing is
/// rearranged in HBM.
///
/// Sums are computed in the array's order: over 128 channels in f32 from +0, c ascending. The sums of the taps and
/// channel blocks are added in f32 in the order i, j, block. Pixels outside the input count as zero. Without input
/// channels the output is zeros. With a window larger than the padded input there is no output.
///
/// Layouts: channels in lanes; in sublanes either images ({3,0,2,1}) or pixels of a line ({3,2,1,0}), whichever has the
/// faster plan by the tile level's estimate. Images win with a multiple of 8 images, for example. Weights [i, j, c, o]
/// are row-major.
KernelFamily conv2d_family();

}  // namespace podsim::sw::codegen::families::matrix
