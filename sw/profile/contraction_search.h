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

/// Names an operand of the fusion, or one of these.
enum : int { kMadeInside = -1, kEarlierResult = -2 };

struct ContractionStep {
  int lhs = 0, rhs = 0;  ///< operands, or of the above
  Instruction hero;      ///< convolution or dot: opcode, shape and roles of dimensions; its operands are not set
  std::int64_t multiply_accumulates = 0;
  std::int64_t array_rows = 0;  ///< that pass a weight tile, over all weight tiles: what it takes of a matrix unit
};

struct Contraction {
  std::vector<ContractionStep> steps;  ///< each but the first takes the result of the one before
  int result = 0;                      ///< which of the arrays of the result the last one makes; -1: none is as large
  Shape made_lhs, made_rhs;            ///< of operands that the fusion makes itself
  std::int64_t multiply_accumulates() const;
};

/// What a contraction may be found in: arrays of the op, and which operands it reads as a whole. Of others it takes a
/// slice, whose shape is not known.
struct ContractionArrays {
  std::vector<Shape> results, operands;
  std::vector<bool> read_whole;  ///< as long as operands
};

/// The contraction with most multiply-accumulates of which `flops`, XLA's count of the whole op, are at least twice as
/// many. Where no single one explains most of them, two or three in a row are tried, then one with an operand that is
/// made within the fusion. Nothing when the op has hardly a FLOP per element.
std::optional<Contraction> find_contraction(const ContractionArrays& arrays, double flops);

}  // namespace podsim::sw
