// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/matrix/matmul_plan.h"

namespace podsim::sw::codegen::families::matrix {

/// Returns the cheapest tiling of a matmul, by the tile level's estimate of its cycles, among:
///
/// - the whole problem as one tile, or one operand whole and the other in blocks of whole rows or columns: the
///   stationary operand is loaded first, and the other one streams past it. Tiling both operands would overlap all
///   loads and be about ten per cent faster than the matmuls measured on silicon, which expose most of their loads;
/// - only if none of those fits VMEM, blocks in all three dimensions.
///
/// Every tile is also charged the latency of a read and a write, so that more and smaller tiles must gain more than
/// that. Arrays that are in VMEM are one tile. Throws base::InputError if nothing fits.
MatmulPlan fastest_matmul_plan(const hw::Machine& machine, const KernelMatmul& problem,
                               const MatmulAddresses& addresses);

}  // namespace podsim::sw::codegen::families::matrix
