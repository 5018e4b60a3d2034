// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel_builder.h"

namespace podsim::sw {

/// One tile of T(8,128)(2,1), which is four VMEM rows, as a register of 8 rows of f32. Touches only those four rows.
VectorReg load_packed(KernelBuilder& builder, RowAddress address);
/// f32 rounded to bf16, to nearest even, as such a tile.
void store_packed(KernelBuilder& builder, RowAddress address, VectorReg value);

/// VMEM rows of a tile of 8 x 128 elements.
constexpr std::int32_t rows_of_tile(bool packed) { return packed ? 4 : 8; }
/// Either of the above or a plain load or store.
VectorReg load_tile(KernelBuilder& builder, RowAddress address, bool packed);
void store_tile(KernelBuilder& builder, RowAddress address, VectorReg value, bool packed);

}  // namespace podsim::sw
