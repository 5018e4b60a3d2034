// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/graph.h"

namespace podsim::sw::compiler::tiles {

/// A product of matrices for every index of a batch: sizes of the groups of dimensions of a dot.
struct BatchedProduct {
  std::int64_t batch = 1;
  std::int64_t lhs_free = 1, rhs_free = 1;  ///< of one operand and of the result
  std::int64_t contracted = 1;
  /// The most minor dimension of the result is one of rhs. If it is one of the batch, which no array gives lanes: the
  /// longer operand has them, so that fewer of them are padding.
  bool rhs_in_lanes = true;

  bool operator==(const BatchedProduct&) const = default;
};

BatchedProduct product_of(const hlo::Instruction& dot, const hlo::Shape& lhs, const hlo::Shape& rhs);

/// The same groups as numbers of dimensions, and which dimensions of the result are those of one operand alone.
struct ProductRoles {
  hlo::DotDimensions dimensions;
  std::vector<int> lhs_free, rhs_free;  ///< of the result
};

/// Roles in a dot, or in a convolution that as_batched_product() takes.
ProductRoles roles_of(const hlo::Instruction& product, const hlo::Shape& lhs, const hlo::Shape& rhs);

/// XLA writes a dot with batch dimensions as a convolution whose window has them: n positions with holes between them,
/// of which window `o` sees one, at a tap of its own (size n, stride n - 1, lhs_dilate n; or stride n + 1 with
/// padding). Returns the product of such a convolution. Its other spatial dimensions are rows (a window of one tap) or
/// contracted (a window as large as both operands). Returns std::nullopt for every other convolution.
std::optional<BatchedProduct> as_batched_product(const hlo::Instruction& convolution, const hlo::Shape& input);

}  // namespace podsim::sw::compiler::tiles
