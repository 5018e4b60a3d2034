// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/builder/kernel_builder.h"
#include "sw/codegen/families/matrix/convolution_plan.h"

namespace podsim::sw::codegen::families::matrix {

/// Clears the whole staged input. The zeros around its lines are never overwritten.
void clear_staged_input(builder::KernelBuilder& builder, const ConvolutionPlan& plan,
                        const builder::KernelBuilder::VmemBuffer& staged);

/// Copies a tile's input lines to where the matrix pass reads them: as f32, with zeros for lines outside the input, for
/// lanes beyond its channels and for pixels beyond its width. `first_line` is the input line of the tile's first line;
/// it may be outside the input.
void write_staging(builder::KernelBuilder& builder, const ConvolutionPlan& plan, const builder::MatrixOperand& tile,
                   registers::ScalarReg first_line, const builder::KernelBuilder::VmemBuffer& staged);

}  // namespace podsim::sw::codegen::families::matrix
