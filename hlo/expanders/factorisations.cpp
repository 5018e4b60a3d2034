// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/factorisations.h"

#include <array>
#include <optional>

#include "hlo/expanders/householder.h"
#include "hlo/expanders/lu_decomposition.h"
#include "hlo/expanders/replace.h"
#include "hlo/expanders/symmetric_eigenvalues.h"

namespace podsim::hlo::expanders {

void expand_factorisations(Module& module, const std::function<bool(const Instruction& call)>& stays) {
  constexpr std::array expansions{expansion_of_qr, expansion_of_reflectors, expansion_of_lu, expansion_of_eigenvalues};
  replace_instructions(module, [&](const Computation& computation, InstructionId id) -> std::optional<Module> {
    if (computation[id].opcode != Opcode::custom_call || stays(computation[id])) return std::nullopt;
    for (const auto expansion : expansions) {
      if (std::optional<Module> ops = expansion(computation, id)) return ops;
    }
    return std::nullopt;
  });
}

}  // namespace podsim::hlo::expanders
