// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/graph/graph.h"

/// Which contraction a fusion without a body is built around, found from the shapes of its operands and results and
/// from its FLOPs. Dimensions are matched by their sizes: one that an operand and the result share is kept, one that
/// both operands and the result share is a batch dimension, one that only the operands share is contracted; arrays of
/// images meet kernels of up to 16 taps a side forward, as input gradient or as kernel gradient.
namespace podsim::sw {

struct Contraction {
  int result = 0;        ///< which of the arrays of the result it makes
  int lhs = 0, rhs = 0;  ///< which operands it takes; -1 for one that the fusion makes itself, see `made`
  Instruction hero;      ///< convolution or dot: opcode, shape and roles of dimensions; its operands are not set
  Shape made;            ///< of the operand that the fusion makes
  std::int64_t multiply_accumulates = 0;
};

/// The contraction with most multiply-accumulates of which `flops`, XLA's count of the whole op, are at least twice as
/// many. Where none explains most of them, an operand is taken to be made within the fusion. Nothing when the op has
/// hardly a FLOP per element.
std::optional<Contraction> find_contraction(const std::vector<Shape>& results, const std::vector<Shape>& operands,
                                            double flops);

}  // namespace podsim::sw
