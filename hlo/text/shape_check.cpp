// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/shape_check.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>

#include "hlo/rules/group_rules.h"
#include "hlo/rules/shape_inference.h"
#include "hlo/text/diagnostic_list.h"

namespace podsim::hlo::text {

namespace {

/// The opcode of an instruction in the text, or an empty view if the computation or instruction is not in the text.
std::string_view location_of(const Module& module, const std::string& computation, const std::string& instruction) {
  for (const Computation& written : module.computations) {
    if (written.name != computation) continue;
    for (const Instruction& candidate : module.instructions_of(written)) {
      if (candidate.name == instruction) return candidate.opcode_text;
    }
  }
  return {};
}

std::string message(const hlo::Instruction& instruction, const std::logic_error& error) {
  return std::string(instruction.name) + ": " + error.what();
}

/// Throws std::logic_error for tiles on another number of devices than there are. check_sharding() has compared them
/// with the header; where that does not state a number, groups may have.
void verify_tiles(const hlo::Sharding& sharding, std::int64_t partitions) {
  for (const hlo::Sharding& element : sharding.elements) verify_tiles(element, partitions);
  if (sharding.kind != hlo::Sharding::Kind::tiled || partitions == 1) return;
  const std::int64_t devices =
      std::accumulate(sharding.tiles.begin(), sharding.tiles.end(), std::int64_t{1}, std::multiplies{});
  if (devices == partitions) return;
  throw std::logic_error(fmt::format("its sharding has tiles on {} devices, groups name {}", devices, partitions));
}

void verify_tiles(const hlo::Instruction& instruction, std::int64_t partitions) {
  const bool of_other_data = instruction.phase != hlo::AsyncPhase::none || instruction.opcode == hlo::Opcode::infeed ||
                             instruction.opcode == hlo::Opcode::outfeed;
  if (instruction.sharding && !of_other_data) verify_tiles(*instruction.sharding, partitions);
}

}  // namespace

std::vector<base::Diagnostic> check_shapes(const Module& module, const hlo::Module& graph) {
  DiagnosticList found(module.file, *module.text, module.origin.get());
  int count = 0;
  const std::span<const hlo::Computation> computations = graph.computations;
  for (std::size_t c = 0; c < computations.size(); ++c) {
    const hlo::Computation& computation = computations[c];
    for (const hlo::Instruction& instruction : computation.instructions) {
      try {
        rules::verify_shard_shape(instruction, computation);
        rules::verify_shape(instruction, computation, computations.first(c));
        verify_tiles(instruction, graph.partitions);
        if (hlo::is_collective(instruction.opcode)) {
          rules::verify_groups(instruction, computation, graph.replicas, graph.partitions);
        }
        continue;
      } catch (const rules::ShapeDifference& difference) {
        found.warning(location_of(module, computation.name, instruction.name), message(instruction, difference));
      } catch (const std::logic_error& error) {
        found.error(location_of(module, computation.name, instruction.name), message(instruction, error));
      }
      if (++count == DiagnosticList::max_errors) return found.take();
    }
  }
  return found.take();
}

}  // namespace podsim::hlo::text
