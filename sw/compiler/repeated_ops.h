// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "sw/compiler/memory_account.h"
#include "sw/ir/graph.h"

namespace podsim::sw::compiler {

inline constexpr std::string_view repeated_scope = "rematerialised/";

/// An op that runs once more.
struct RepeatedOp {
  int array = -1;                ///< that it makes, a number of Liveness::arrays
  ir::InstructionId before = 0;  ///< a reader of the array: it and all later ones read the array that is made again
};

/// Repeats ops of one result in the entry of a fused module. Each is placed before its reader and has an op_name under
/// `repeated_scope`; repeated fusions share the bodies of the first ones. The module computes the same bits.
ir::Module with_repeated_ops(ir::Module module, const Liveness& liveness, std::span<const RepeatedOp> ops);

/// Returns whether `name` is the result of `origin`, an element of it, or a bitcast, reshape or transposition of that,
/// in the same memory.
bool is_name_of(const ir::Computation& entry, const Liveness& liveness, ir::InstructionId name,
                ir::InstructionId origin);

}  // namespace podsim::sw::compiler
