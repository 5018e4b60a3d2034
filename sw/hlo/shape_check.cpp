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

std::string message(const sw::Instruction& instruction, const std::logic_error& error) {
  return std::string(instruction.name) + ": " + error.what();
}

}  // namespace

std::vector<base::Diagnostic> check_shapes(const Module& module, const sw::Module& graph) {
  DiagnosticList found(module.file, *module.text);
  int count = 0;
  const std::span<const sw::Computation> computations = graph.computations;
  for (std::size_t c = 0; c < computations.size(); ++c) {
    const sw::Computation& computation = computations[c];
    for (const sw::Instruction& instruction : computation.instructions) {
      try {
        verify_shape(instruction, computation, computations.first(c));
        continue;
      } catch (const ShapeDifference& difference) {
        found.warning(place_of(module, computation.name, instruction.name), message(instruction, difference));
      } catch (const std::logic_error& error) {
        found.error(place_of(module, computation.name, instruction.name), message(instruction, error));
      }
      if (++count == DiagnosticList::most_errors) return found.take();
    }
  }
  return found.take();
}

}  // namespace podsim::sw::hlo
