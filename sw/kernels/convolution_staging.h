// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/convolution_plan.h"
#include "sw/kernels/kernel_builder.h"

namespace podsim::sw {

/// Makes all of the staged input zero, which the zeros around its lines stay.
void clear_staged_input(KernelBuilder& builder, const ConvolutionPlan& plan, const KernelBuilder::VmemBuffer& staged);

/// Copies a tile's input lines to where the matrix pass reads them: as f32, with zeros for lines outside of the input,
/// for lanes beyond its channels and for pixels beyond its width. `first_line` is the input's line that the tile's
/// first one would be, which may be outside.
void write_staging(KernelBuilder& builder, const ConvolutionPlan& plan, const MatrixOperand& tile, ScalarReg first_line,
                   const KernelBuilder::VmemBuffer& staged);

}  // namespace podsim::sw
