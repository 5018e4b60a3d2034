// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/isa/fixed_sizes.h"

namespace podsim::sw::codegen::builder {

/// Sublanes and lanes of a vector register: the 8 x 128 tile of an array.
inline constexpr std::int32_t register_rows = hw::isa::register_sublanes, register_lanes = hw::isa::register_lanes;
inline constexpr std::int32_t register_words = register_rows * register_lanes;

/// A row of VMEM holds a sublane.
inline constexpr std::int32_t row_words = register_lanes;
inline constexpr std::int64_t vmem_row_bytes = 4 * row_words;

/// Registers that fill a matrix unit with weights.
inline constexpr std::int32_t weight_registers = register_lanes / register_rows;

}  // namespace podsim::sw::codegen::builder
