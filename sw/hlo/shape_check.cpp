// SPDX-License-Identifier: Apache-2.0
#include "sw/hlo/shape_check.h"

#include <span>
#include <stdexcept>

#include "sw/graph/shape_inference.h"
#include "sw/hlo/diagnostic_list.h"

namespace podsim::sw::hlo {

namespace {

/// The opcode of an instruction in the text; of a computation or instruction that is not there the end of the text.
std::string_view place_of(const Module& module, const std::string& computation, const std::string& instruction) {
  for (const Computation& written : module.computations) {
    if (written.name != computation) continue;
    for (const Instruction& candidate : module.instructions_of(written)) {
      if (candidate.name == instruction) return candidate.opcode_text;
    }
  }
  return {};
}

}  // namespace

std::vector<base::Diagnostic> check_shapes(const Module& module, const sw::Module& graph) {
  DiagnosticList diagnostics(module.file, *module.text);
  const std::span<const sw::Computation> computations = graph.computations;
  for (std::size_t c = 0; c < computations.size(); ++c) {
    const sw::Computation& computation = computations[c];
    for (const sw::Instruction& instruction : computation.instructions) {
      if (diagnostics.full()) return diagnostics.take();
      try {
        verify_shape(instruction, computation, computations.first(c));
      } catch (const std::logic_error& error) {
        diagnostics.error(place_of(module, computation.name, instruction.name),
                          std::string(instruction.name) + ": " + error.what());
      }
    }
  }
  return diagnostics.take();
}

}  // namespace podsim::sw::hlo
