// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "hlo/graph.h"
#include "sw/compiler/memory_account.h"

namespace podsim::sw::compiler {

inline constexpr std::string_view repeated_scope = "rematerialised/";

/// An op that runs once more.
struct RepeatedOp {
  int array = -1;                 ///< that it makes, a number of Liveness::arrays
  hlo::InstructionId before = 0;  ///< a reader of the array: it and all later ones read the array that is made again
};

/// Repeats ops of one result in the entry of a fused module. Each is placed before its reader and has an op_name under
/// `repeated_scope`; repeated fusions share the bodies of the first ones. The module computes the same bits.
hlo::Module with_repeated_ops(hlo::Module module, const Liveness& liveness, std::span<const RepeatedOp> ops);

/// Returns whether `name` is the result of `origin`, an element of it, or a bitcast, reshape or transposition of that,
/// in the same memory.
bool is_name_of(const hlo::Computation& entry, const Liveness& liveness, hlo::InstructionId name,
                hlo::InstructionId origin);

}  // namespace podsim::sw::compiler
