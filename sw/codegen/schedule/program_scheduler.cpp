// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/program_scheduler.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/host/interrupt.h"
#include "sw/codegen/registers/constant_propagation.h"
#include "sw/codegen/registers/register_allocation.h"
#include "sw/codegen/schedule/bundle_emitter.h"
#include "sw/codegen/schedule/region_scheduler.h"

namespace podsim::sw::codegen::schedule {

namespace {

struct ScheduledRegion {
  PressureLevel caution;
  registers::BlockList blocks;
};

/// All blocks in program order, with the region of each.
struct LinkedBlocks {
  registers::BlockList blocks;
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
    for (const registers::Block& block : scheduled[r].blocks) {
      linked.blocks.push_back(block);
      linked.region.push_back(r);
      if (block.target >= 0) linked.blocks.back().target += first[r];
    }
    if (regions[r].target >= 0) linked.blocks.back().target = first[std::size_t(regions[r].target)];
  }
  return linked;
}

[[noreturn]] void report(const std::string& name, registers::RegisterClass cls) {
  constexpr const char* names[] = {"scalar registers", "vector registers", "vector masks", "predicates"};
  throw base::SimulationError(
      fmt::format("{}: more values are needed at a time than there are {}", name, names[int(cls)]));
}

}  // namespace

std::vector<hw::isa::Bundle> schedule_program(const hw::Machine& machine, const std::string& name,
                                              registers::RecordedCode code, RegisterSource registers) {
  registers::propagate_constants(code);
  const std::vector<Region> regions = divide_into_regions(code, registers);
  for (const Region& region : regions) check_results_fit(machine, region.fifos, region.operations);
  std::vector<ScheduledRegion> scheduled(regions.size());
  for (std::size_t r = 0; r < regions.size(); ++r) {
    base::host::end_if_interrupted("in scheduling bundles");
    scheduled[r].blocks = schedule_region(machine, regions[r], scheduled[r].caution, registers);
  }
  const auto add_caution = [&](std::size_t r) {
    if (scheduled[r].caution.level >= PressureLevel::in_order) return false;
    ++scheduled[r].caution.level;
    scheduled[r].blocks = schedule_region(machine, regions[r], scheduled[r].caution, registers);
    return true;
  };
  for (;;) {
    const LinkedBlocks linked = link(regions, scheduled);
    const registers::RegisterAllocation allocation = registers::allocate_registers(machine, linked.blocks);
    if (!allocation.shortage) return emit_bundles(linked.blocks, allocation.numbers);
    // The pressure may come from another region in which the value is live. Finally all regions reduce theirs.
    if (add_caution(linked.region[std::size_t(allocation.shortage->block)])) continue;
    bool any = false;
    for (std::size_t r = 0; r < regions.size(); ++r) any |= add_caution(r);
    if (!any) report(name, allocation.shortage->cls);
  }
}

}  // namespace podsim::sw::codegen::schedule
