// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/build/graph_builder.h"
#include "hw/tile_op.h"
#include "sw/codegen/builder/kernel_builder.h"
#include "sw/codegen/builder/matrix_pass.h"

namespace podsim::sw::codegen::builder {

enum class Activation : std::uint8_t { none, relu, gelu };

/// Operations on f32 sums before they are stored: activation(sum + bias), rounded to bf16 if the result is packed.
/// gelu(x) = x / 2 + x / 2 tanh(x (s + 0.044715 s x^2)), s = sqrt(2 / pi).
struct Epilogue {
  bool bias = false;
  Activation activation = Activation::none;
  bool packed = false;

  /// Returns true if there is anything to do.
  bool any() const { return bias || activation != Activation::none || packed; }
  /// Work for one register.
  hw::VectorWork work() const;
  /// The epilogue as a graph: `sums` is f32 [m, n], `bias` f32 [n] if there is one.
  hlo::InstructionId reference(hlo::build::GraphBuilder& graph, hlo::InstructionId sums,
                               std::optional<hlo::InstructionId> bias) const;
};

/// A pass over the sums of a block: `groups` groups of `group_rows` rows of `lanes` tiles of 8 x 128. In VMEM, a row of
/// tiles takes `row_tiles` tiles, both in the sums and in the result. VMEM row i of the bias belongs to lane block i.
struct EpiloguePass {
  Epilogue epilogue;
  MatrixOperand sums, result, bias;
  registers::ScalarOperand groups = 1, lanes = 1;
  int group_rows = 1;
  std::int32_t row_tiles = 0;
  std::optional<registers::PredicateReg> stored;  ///< if clear, nothing is stored
};

void write_epilogue(KernelBuilder& builder, const EpiloguePass& pass);

}  // namespace podsim::sw::codegen::builder
