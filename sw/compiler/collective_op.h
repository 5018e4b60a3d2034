// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/compiler/program.h"

namespace podsim::sw::compiler {

/// The kind of collective of an opcode; nothing for others.
std::optional<collectives::CollectiveKind> collective_kind(hlo::Opcode opcode);

/// The collective of an instruction that is one, without its groups: kind, type, payload and number of arrays. Its
/// payload is the larger of operands and results; of a collective-permute into an array, the slices that move.
CollectiveOp collective_op(const hlo::Computation& computation, hlo::InstructionId id);

/// What a collective is without its groups.
collectives::schedule::CollectiveRequest request_of(const CollectiveOp& collective);

}  // namespace podsim::sw::compiler
