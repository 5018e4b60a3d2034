// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "hw/tile_op.h"
#include "sw/graph/graph_builder.h"
#include "sw/kernels/kernel_builder.h"
#include "sw/kernels/matrix_pass.h"

namespace podsim::sw {

enum class Activation : std::uint8_t { none, relu, gelu };

/// What happens to f32 sums before they are stored: activation(sum + bias), rounded to bf16 if the result is packed.
/// gelu(x) = x / 2 + x / 2 tanh(x (s + 0.044715 s x^2)), s = sqrt(2 / pi).
struct Epilogue {
  bool bias = false;
  Activation activation = Activation::none;
  bool packed = false;

  /// Whether there is anything to do.
  bool any() const { return bias || activation != Activation::none || packed; }
  /// On one register.
  hw::VectorWork work() const;
  /// The same on a graph: `sums` f32 [m, n], `bias` f32 [n] if there is one.
  InstructionId reference(GraphBuilder& graph, InstructionId sums, std::optional<InstructionId> bias) const;
};

/// A pass over the sums of a block: `groups` of `group_rows` rows of `lanes` tiles of 8 x 128; a row of tiles takes
/// `row_tiles` in VMEM, in sums and result. VMEM row i of the bias is that of lane block i.
struct EpiloguePass {
  Epilogue epilogue;
  MatrixOperand sums, result, bias;
  ScalarOperand groups = 1, lanes = 1;
  int group_rows = 1;
  std::int32_t row_tiles = 0;
  std::optional<PredicateReg> stored;  ///< nothing is stored if it is clear
};

void write_epilogue(KernelBuilder& builder, const EpiloguePass& pass);

}  // namespace podsim::sw
