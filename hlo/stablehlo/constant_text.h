// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hlo/stablehlo/type_table.h"

namespace podsim::hlo::stablehlo {

/// A constant of MLIR in the form of HLO.
struct ConstantText {
  std::string literal;    ///< "{ {1, 2}, {3, 4} }", "1.5", "{...}" if the text leaves the values out
  bool is_splat = false;  ///< one value for all elements
};

/// Converts "dense<[[1, 2], [3, 4]]> : tensor<2x2xf32>", hexadecimal numbers and raw bytes among them. A value
/// "dense_resource<name>" is looked up in `resources`, the text between {-# and #-}. Throws Fault with an offset in
/// `value`.
ConstantText constant_text(std::string_view value, const Type& type, std::string_view resources);

}  // namespace podsim::hlo::stablehlo
