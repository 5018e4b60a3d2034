// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

/// The elementwise part of a cell of long short-term memory (lstm.h has the equations) and its gradient.
namespace podsim::workloads::layers {

struct CellState {
  hlo::InstructionId h = -1, c = -1;  ///< [B, H]
};

/// `gates` [B, 4H] are i, j, f, o before their functions, `c` [B, H] the cell's state.
CellState lstm_cell(hlo::build::GraphBuilder& builder, hlo::InstructionId gates, hlo::InstructionId c);

struct CellGradient {
  hlo::InstructionId gates = -1;  ///< [B, 4H]
  hlo::InstructionId c = -1;      ///< of the state before, [B, H]
};

/// From the gradients dh and dc of the results h and `after`: those of the gates and of the state `before`.
CellGradient lstm_cell_gradient(hlo::build::GraphBuilder& builder, hlo::InstructionId gates, hlo::InstructionId before,
                                hlo::InstructionId after, hlo::InstructionId dh, hlo::InstructionId dc);

}  // namespace podsim::workloads::layers
