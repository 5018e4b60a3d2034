// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// Which instructions become one op. Made by plan_fusion by the rules in fusion.h, carried out by fuse.
struct FusionPlan {
  /// One op: the values it stores, in program order; inlined instructions are implied (everything its roots read that
  /// is not stored or a source).
  struct Group {
    std::vector<InstructionId> roots;
    InstructionId hero = -1;  ///< the convolution or dot of an output fusion
  };
  std::vector<Group> groups;
  /// Per instruction: the group that stores it, -1 for one that is only inlined or a source.
  std::vector<int> group_of;
  /// Per instruction: recomputed in the fusions that read it. It may be stored all the same, for ops that read only
  /// stored values.
  std::vector<bool> inlined;
};

FusionPlan plan_fusion(const Computation& computation);

/// Opcodes that may be recomputed inside another op.
bool is_fusible_producer(const Instruction& instruction);
/// Values that exist without an op: parameters, constants, tuple elements.
bool is_source(const Instruction& instruction);
/// Ops that take inlined operands; others (all-reduce, select-and-scatter, concatenate, tuple ...) read stored values.
bool takes_inlined_operands(const Instruction& instruction);

}  // namespace podsim::sw
