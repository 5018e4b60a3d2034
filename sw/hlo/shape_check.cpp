// SPDX-License-Identifier: Apache-2.0
#include "sw/hlo/shape_check.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>

#include "sw/hlo/diagnostic_list.h"
#include "sw/ir/rules/group_rules.h"
#include "sw/ir/rules/shape_inference.h"

namespace podsim::sw::hlo {

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

std::string message(const ir::Instruction& instruction, const std::logic_error& error) {
  return std::string(instruction.name) + ": " + error.what();
}

/// Throws std::logic_error for tiles on another number of devices than there are. check_sharding() has compared them
/// with the header; where that does not state a number, groups may have.
void verify_tiles(const ir::Sharding& sharding, std::int64_t partitions) {
  for (const ir::Sharding& element : sharding.elements) verify_tiles(element, partitions);
  if (sharding.kind != ir::Sharding::Kind::tiled || partitions == 1) return;
  const std::int64_t devices =
      std::accumulate(sharding.tiles.begin(), sharding.tiles.end(), std::int64_t{1}, std::multiplies{});
  if (devices == partitions) return;
  throw std::logic_error(fmt::format("its sharding has tiles on {} devices, groups name {}", devices, partitions));
}

void verify_tiles(const ir::Instruction& instruction, std::int64_t partitions) {
  const bool of_other_data = instruction.phase != ir::AsyncPhase::none || instruction.opcode == ir::Opcode::infeed ||
                             instruction.opcode == ir::Opcode::outfeed;
  if (instruction.sharding && !of_other_data) verify_tiles(*instruction.sharding, partitions);
}

}  // namespace

std::vector<base::Diagnostic> check_shapes(const Module& module, const ir::Module& graph) {
  DiagnosticList found(module.file, *module.text, module.origin.get());
  int count = 0;
  const std::span<const ir::Computation> computations = graph.computations;
  for (std::size_t c = 0; c < computations.size(); ++c) {
    const ir::Computation& computation = computations[c];
    for (const ir::Instruction& instruction : computation.instructions) {
      try {
        ir::rules::verify_shard_shape(instruction, computation);
        ir::rules::verify_shape(instruction, computation, computations.first(c));
        verify_tiles(instruction, graph.partitions);
        if (ir::is_collective(instruction.opcode)) {
          ir::rules::verify_groups(instruction, computation, graph.replicas, graph.partitions);
        }
        continue;
      } catch (const ir::rules::ShapeDifference& difference) {
        found.warning(location_of(module, computation.name, instruction.name), message(instruction, difference));
      } catch (const std::logic_error& error) {
        found.error(location_of(module, computation.name, instruction.name), message(instruction, error));
      }
      if (++count == DiagnosticList::most_errors) return found.take();
    }
  }
  return found.take();
}

}  // namespace podsim::sw::hlo
