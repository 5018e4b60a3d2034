// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hlo/graph.h"

/// Which instructions are ops of a core, and what they are called.
namespace podsim::sw::compiler::tiles {

/// True if an instruction of an executed computation takes time on the core as a tile op. False for instructions that
/// only name a value, collectives, host transfers and control flow.
bool is_core_op(const hlo::Instruction& instruction);
/// As above, and true for a reshape that moves elements. False for values without elements and where keeps_places() is
/// true.
bool is_core_op(const hlo::Computation& computation, hlo::InstructionId id);
/// True for a transposition or reshape after which every element is where it was, because the two layouts differ as the
/// dimensions do: it only names a value.
bool keeps_places(const hlo::Computation& computation, hlo::InstructionId id);

/// XProf's category: "convolution fusion", "gather fusion", "data formatting", "non-fusion elementwise", an opcode ...
std::string category_of(const hlo::Module& module, const hlo::Instruction& instruction);

/// False for an op of the core that is priced by the bytes that it moves, since the work of its opcode on the units is
/// not modelled.
bool has_modelled_work(hlo::Opcode opcode);
/// Why is_core_op() is false for every instruction of this opcode, but for reshapes that move elements; nullptr if it
/// is not. Requires an opcode other than `unknown`.
const char* why_no_core_op(hlo::Opcode opcode);

}  // namespace podsim::sw::compiler::tiles
