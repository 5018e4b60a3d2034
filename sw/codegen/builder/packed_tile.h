// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/builder/kernel_builder.h"
#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::builder {

/// Loads a tile of T(8,128)(2,1), which is four VMEM rows, as a register of 8 rows of f32. Accesses only those four
/// rows.
registers::VectorReg load_packed(KernelBuilder& builder, registers::RowAddress address);
/// Rounds f32 to bf16, to nearest even, and stores it as such a tile.
void store_packed(KernelBuilder& builder, registers::RowAddress address, registers::VectorReg value);

/// VMEM rows of a tile of 8 x 128 elements.
constexpr std::int32_t rows_of_tile(bool packed) { return packed ? register_rows / 2 : register_rows; }
/// Load and store a tile, packed as above or plain.
registers::VectorReg load_tile(KernelBuilder& builder, registers::RowAddress address, bool packed);
void store_tile(KernelBuilder& builder, registers::RowAddress address, registers::VectorReg value, bool packed);

}  // namespace podsim::sw::codegen::builder
