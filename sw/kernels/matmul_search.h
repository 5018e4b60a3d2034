// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/matmul_plan.h"

namespace podsim::sw {

/// The cheapest way to cut a matmul, by the tile level's estimate of its cycles:
///
/// - the whole problem as one tile, or one operand whole and the other in blocks of whole rows or columns: what is
///   stationary comes first, the rest streams past it. Overlapping all loads by cutting both operands would be some ten
///   per cent faster than the matmuls measured on silicon, which expose most of their loads;
/// - where VMEM does not hold those, blocks in all three dimensions.
///
/// Every tile is charged the latency of a read and a write besides, so that more and smaller tiles must gain more than
/// that. Arrays that are in VMEM are one tile. base::InputError if nothing fits.
MatmulPlan fastest_matmul_plan(const hw::Machine& machine, const KernelMatmul& problem,
                               const MatmulAddresses& addresses);

}  // namespace podsim::sw
