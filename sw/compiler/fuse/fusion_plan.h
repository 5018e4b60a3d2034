// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Which values share a fusion without a product, by rule 3 in fusion.h.
enum class LoopOutputs : std::uint8_t {
  several,          ///< elementwise results and reductions
  one_elementwise,  ///< an elementwise result begins a fusion of its own; reductions still join
};

/// The assignment of instructions to ops. plan_fusion makes it by the rules in fusion.h, and fuse() carries it out.
struct FusionPlan {
  /// An op, given by the values that it stores, in program order. Its inlined instructions are implied: everything that
  /// its roots read, directly or through inlined instructions, that is neither stored nor a source.
  struct Group {
    std::vector<hlo::InstructionId> roots;
    hlo::InstructionId hero = -1;  ///< the convolution or dot of an output fusion
  };
  std::vector<Group> groups;
  /// Per instruction: the group that stores it, or -1 if it is only inlined or a source.
  std::vector<int> group_of;
  /// Per instruction: true for a reshape that moves elements, which is an op of its own unless all it goes into is
  /// reductions.
  std::vector<bool> moves_alone;
  /// Per instruction: true if the fusions that read it recompute it. It may also be stored, for ops that read only
  /// stored values.
  std::vector<bool> inlined;

  /// Returns whether `reader` may compute its operand `value` itself; all-reduce, select-and-scatter, concatenate,
  /// tuple and others read stored values. A scatter fills the array that it adds to, if all elements are one scalar.
  bool takes_inlined(const hlo::Computation& computation, hlo::InstructionId reader, hlo::InstructionId value) const;
};

FusionPlan plan_fusion(const hlo::Computation& computation, LoopOutputs outputs = LoopOutputs::several);

/// True for opcodes that may be recomputed inside another op.
bool is_fusible_producer(const hlo::Instruction& instruction);
/// By instruction: true for a value that goes into reductions and nowhere else, by values that may be recomputed.
std::vector<bool> into_reductions(const hlo::Computation& computation);
/// True for values that exist without an op: parameters and tuple elements.
bool is_source(const hlo::Instruction& instruction);

}  // namespace podsim::sw::compiler::fuse
