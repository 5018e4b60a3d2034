// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/core_content.h"

#include <algorithm>
#include <array>

#include "hw/machine_sections.h"

namespace podsim::hw::timing {
namespace {

void add(base::ContentHash& hash, const std::vector<TileTransfer>& transfers) {
  hash.add(transfers.size());
  for (const auto& [bytes, shape, level] : transfers) {
    const auto& [row, pitch, span] = shape;
    hash.add(bytes, row, pitch, span, level);
  }
}

void add(base::ContentHash& hash, const TileWork& work) {
  const auto& [reads, phases, writes] = work;
  add(hash, reads);
  hash.add(phases.size());
  for (const TilePhase& phase : phases) {
    TilePhase::for_each_count([&](const auto& count) { hash.add(count); }, phase);
    hash.add(phase.of<Mxu>().product, phase.of<Mxu>().depth);
  }
  add(hash, writes);
}

}  // namespace

void add_core(base::ContentHash& hash, const Machine& machine) {
  using enum base::parameters::KeyLevel;
  constexpr std::array levels{ops, banks, kernels};
  const auto acts_on_core = [&](const auto& parameter) {
    return std::ranges::find_first_of(parameter.levels, levels) != parameter.levels.end();
  };
  for_each_core_section(machine,
                        [&](const auto& section, const auto& record) { section.add_to(hash, record, acts_on_core); });
}

void add_tile_op(base::ContentHash& hash, const TileOp& op) {
  const auto& [name, runs, vmem, in_turns] = op;
  hash.add(runs.size(), vmem, in_turns);
  for (const auto& [count, work] : runs) {
    hash.add(count);
    add(hash, work);
  }
}

}  // namespace podsim::hw::timing
