// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hlo/graph.h"

/// Finds the contraction that a fusion without a body is built around, from the shapes of its operands and results and
/// from its FLOPs. Dimensions are matched by size: one that an operand and the result share is kept, one that both
/// operands and the result share is a batch dimension, one that only the operands share is contracted. Images and
/// kernels of up to 16 taps per side are matched as forward convolution, input gradient or kernel gradient.
namespace podsim::validation::profile {

/// In place of an operand of the fusion: a value made inside it, or the result of the previous step.
enum : int { made_inside = -1, earlier_result = -2 };

struct ContractionStep {
  int lhs = 0, rhs = 0;   ///< operand numbers of the fusion, or one of the above
  hlo::Instruction hero;  ///< convolution or dot: opcode, shape and roles of dimensions; its operands are not set
  std::int64_t multiply_accumulates = 0;
  bool depthwise = false;       ///< convolution_match.h
  std::int64_t array_rows = 0;  ///< rows that pass a weight tile, over all weight tiles: the time on a matrix unit
};

struct Contraction {
  std::vector<ContractionStep> steps;  ///< each step after the first takes the result of the previous one
  int result = 0;                 ///< number of the result array that the last step makes; -1 if no result is as large
  hlo::Shape made_lhs, made_rhs;  ///< shapes of operands that the fusion makes itself
  std::int64_t multiply_accumulates() const;
};

/// The arrays of an op, and which operands it reads entirely. From other operands it reads a slice of unknown shape, so
/// they are not factors.
struct ContractionArrays {
  std::vector<hlo::Shape> results, operands;
  std::vector<bool> read_whole;  ///< as long as operands
};

/// Returns the contraction with the most multiply-accumulates, of which `flops`, XLA's count for the whole op, must be
/// at least twice as many (to 0.4 %). If no single contraction explains most of the FLOPs, chains of two or three are
/// tried, convolutions of groups of several features, then one with an operand made inside the fusion, and last
/// products of operands made inside, one for each vector of indices. An operand made inside also replaces one that
/// would be multiplied with itself, if that pads the products much less. A depthwise convolution is the op's main
/// contraction however few of the FLOPs it has, unless a contraction of another kind explains them. Returns
/// std::nullopt if the FLOPs are fewer than those of one row through a weight tile.
std::optional<Contraction> find_contraction(const ContractionArrays& arrays, double flops);

}  // namespace podsim::validation::profile
