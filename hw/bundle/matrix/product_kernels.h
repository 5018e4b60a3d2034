// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hw/bundle/matrix/systolic_product.h"

/// The variants of hw/bundle/matrix/systolic_product.h. Each keeps a block of sums in registers and walks down the rows
/// of the array.
namespace podsim::hw::bundle::matrix {

ProductCode plain_product_code();
/// Return std::nullopt on a host without the instructions.
std::optional<ProductCode> avx2_product_code();
std::optional<ProductCode> avx512_product_code();

/// ProductCode::round with AVX2.
void round_avx2(const vector::VectorRegister& x, OperandRegister& rounded);

}  // namespace podsim::hw::bundle::matrix
