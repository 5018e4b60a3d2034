// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/build/graph_builder.h"

/// The elementwise part of a cell of long short-term memory (lstm.h has the equations) and its gradient.
namespace podsim::workloads::layers {

struct CellState {
  sw::ir::InstructionId h = -1, c = -1;  ///< [B, H]
};

/// `gates` [B, 4H] are i, j, f, o before their functions, `c` [B, H] the cell's state.
CellState lstm_cell(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId gates, sw::ir::InstructionId c);

struct CellGradient {
  sw::ir::InstructionId gates = -1;  ///< [B, 4H]
  sw::ir::InstructionId c = -1;      ///< of the state before, [B, H]
};

/// From the gradients dh and dc of the results h and `after`: those of the gates and of the state `before`.
CellGradient lstm_cell_gradient(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId gates,
                                sw::ir::InstructionId before, sw::ir::InstructionId after, sw::ir::InstructionId dh,
                                sw::ir::InstructionId dc);

}  // namespace podsim::workloads::layers
