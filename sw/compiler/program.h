// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "hw/tile_op.h"
#include "sw/compiler/op_work.h"
#include "sw/graph/shape.h"

namespace podsim::sw {

/// A distinct op: equal work is compiled once and, at replay detail, simulated once.
struct CompiledOp {
  OpWork work;
  hw::TileOp tiles;
};

/// A collective over all cores of the slice.
struct CollectiveOp {
  std::string kind;  ///< "all-reduce"
  ElementType element_type = ElementType::bf16;
  base::Bytes bytes;  ///< payload of one core
  int arrays = 0;     ///< combined into it
};

/// One step of the schedule.
struct ProgramItem {
  enum class Kind { op, collective, infeed, outfeed };
  Kind kind = Kind::op;
  int index = 0;         ///< into Program::ops, Program::collectives or Program::outfeeds
  std::string hlo_name;  ///< instruction of the fused module: "fusion.17"
  std::string op_name;   ///< where it comes from in the model: "layer2/block0/conv1"
  std::string category;  ///< XProf's
  std::string hlo_text;  ///< result and operand shapes, as XProf prints an op
  double flops = 0;      ///< XLA's count
  base::Bytes bytes;     ///< operands and results, each once, padded
};

/// What goes between the host and each core at once.
struct HostTransfer {
  base::Bytes bytes;
  int tensors = 0;
};

/// The SPMD program of one step: the same for every core, whatever their number.
struct Program {
  std::string name;
  std::vector<CompiledOp> ops;
  std::vector<CollectiveOp> collectives;
  std::vector<ProgramItem> items;
  HostTransfer infeed;  ///< one per step
  std::vector<HostTransfer> outfeeds;
  double flops = 0;         ///< per core and step, XLA's count
  double matmul_flops = 0;  ///< of them, multiply-accumulates of convolutions and dots
};

}  // namespace podsim::sw
