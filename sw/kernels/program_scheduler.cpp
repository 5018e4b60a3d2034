// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/program_scheduler.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "sw/kernels/bundle_emitter.h"
#include "sw/kernels/constant_propagation.h"
#include "sw/kernels/region_scheduler.h"
#include "sw/kernels/register_allocation.h"

namespace podsim::sw {

namespace {

struct ScheduledRegion {
  Caution caution;
  BlockList blocks;
};

/// All blocks in a row, with the region that each is of.
struct LinkedBlocks {
  BlockList blocks;
  std::vector<std::size_t> region;
};

LinkedBlocks link(const std::vector<Region>& regions, const std::vector<ScheduledRegion>& scheduled) {
  std::vector<int> first;
  int blocks = 0;
  for (const ScheduledRegion& region : scheduled) {
    first.push_back(blocks);
    blocks += int(region.blocks.size());
  }
  LinkedBlocks linked;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    for (const Block& block : scheduled[r].blocks) {
      linked.blocks.push_back(block);
      linked.region.push_back(r);
      if (block.target >= 0) linked.blocks.back().target += first[r];
    }
    if (regions[r].target >= 0) linked.blocks.back().target = first[std::size_t(regions[r].target)];
  }
  return linked;
}

[[noreturn]] void report(const std::string& name, RegisterClass cls) {
  constexpr const char* names[] = {"scalar registers", "vector registers", "vector masks", "predicates"};
  throw base::SimulationError(
      fmt::format("{}: more values are needed at a time than there are {}", name, names[int(cls)]));
}

}  // namespace

std::vector<hw::isa::Bundle> schedule_program(const hw::Machine& machine, const std::string& name, RecordedCode code,
                                              RegisterSource registers) {
  propagate_constants(code);
  const std::vector<Region> regions = divide_into_regions(code, registers);
  std::vector<ScheduledRegion> scheduled(regions.size());
  for (std::size_t r = 0; r < regions.size(); ++r) {
    scheduled[r].blocks = schedule_region(machine, regions[r], scheduled[r].caution, registers);
  }
  const auto add_caution = [&](std::size_t r) {
    if (scheduled[r].caution.level >= Caution::in_order) return false;
    ++scheduled[r].caution.level;
    scheduled[r].blocks = schedule_region(machine, regions[r], scheduled[r].caution, registers);
    return true;
  };
  for (;;) {
    const LinkedBlocks linked = link(regions, scheduled);
    const RegisterAllocation allocation = allocate_registers(machine, linked.blocks);
    if (!allocation.shortage) return emit_bundles(linked.blocks, allocation.numbers);
    // What is short of a register there may have one elsewhere in its life: in the end all regions are cautious.
    if (add_caution(linked.region[std::size_t(allocation.shortage->block)])) continue;
    bool any = false;
    for (std::size_t r = 0; r < regions.size(); ++r) any |= add_caution(r);
    if (!any) report(name, allocation.shortage->cls);
  }
}

}  // namespace podsim::sw
