// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/region.h"

#include <algorithm>

#include "sw/codegen/registers/liveness.h"
#include "sw/codegen/schedule/bundle_packer.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;
using hw::isa::SlotKind;

namespace {

const registers::RecordedLoop* loop_of(const registers::RecordedItem& item) {
  const auto* loop = std::get_if<std::unique_ptr<registers::RecordedLoop>>(&item);
  return loop == nullptr ? nullptr : loop->get();
}

bool stores_vectors(const registers::RecordedCode& code) {
  return std::any_of(code.begin(), code.end(), [](const registers::RecordedItem& item) {
    if (const registers::RecordedLoop* loop = loop_of(item)) return stores_vectors(loop->body);
    return std::get<registers::Operation>(item).info().slot == hw::isa::SlotKind::store;
  });
}

bool can_overlap(const registers::RecordedItem& item) {
  const auto* operation = std::get_if<registers::Operation>(&item);
  if (operation == nullptr) return false;
  if (operation->info().slot == hw::isa::SlotKind::misc) return operation->opcode == hw::isa::Opcode::mark;
  return registers::unit_of(*operation) < 0 || !operation->conditional();
}

registers::Operation operation_of(hw::isa::Opcode opcode) {
  registers::Operation operation;
  operation.opcode = opcode;
  return operation;
}

/// Follows the state of the FIFOs through recorded code.
class FifoWalk {
 public:
  void walk(const registers::RecordedCode& code) {
    for (const registers::RecordedItem& item : code) {
      if (const registers::RecordedLoop* loop = loop_of(item)) {
        const auto before = state_.waiting;
        walk(loop->body);
        for (std::size_t u = 0; u < before.size(); ++u) {
          if (state_.waiting[u] != before[u]) state_.unknown[u] = true;
        }
        state_.waiting = before;
      } else {
        step(std::get<registers::Operation>(item));
      }
    }
  }
  void step(const registers::Operation& operation) {
    if (registers::unit_of(operation) < 0) return;
    const auto unit = std::size_t(registers::unit_of(operation));
    state_.waiting[unit] += results_of(operation);
    if (operation.conditional() || state_.waiting[unit] < 0) state_.unknown[unit] = true;
  }
  const FifoState& state() const { return state_; }
  void forget_counts() { state_.waiting.fill(0); }

 private:
  FifoState state_;
};

class Division {
 public:
  Division(const registers::RecordedCode& code, RegisterSource& registers) : registers_(registers) {
    fifos_.walk(code);
    fifos_.forget_counts();
    region_.fifos = fifos_.state();
    add(code);
    finish_region();
  }
  std::vector<Region> regions() && { return std::move(regions_); }

 private:
  void add(const registers::RecordedCode& code) {
    for (const registers::RecordedItem& item : code) {
      if (const registers::RecordedLoop* loop = loop_of(item)) {
        add(*loop);
      } else {
        add(std::get<registers::Operation>(item));
      }
    }
  }

  void add(const registers::Operation& operation) {
    if (operation.opcode == hw::isa::Opcode::dma && stored_) add(operation_of(hw::isa::Opcode::fence));
    if (operation.opcode == hw::isa::Opcode::fence) stored_ = false;
    if (operation.info().slot == hw::isa::SlotKind::store) stored_ = true;
    fifos_.step(operation);
    region_.operations.push_back(operation);
  }

  void add(const registers::RecordedLoop& loop) {
    if (loop.body.empty()) return;
    if (loop.trips.literal && loop.trips.value == 1) return add(loop.body);
    stored_ = stored_ || stores_vectors(loop.body);
    const bool overlapped = loop.options.schedule == registers::LoopSchedule::pipelined &&
                            std::all_of(loop.body.begin(), loop.body.end(), can_overlap);
    overlapped ? add_pipelined(loop) : add_plain(loop);
  }

  void add_pipelined(const registers::RecordedLoop& loop) {
    finish_region();
    add(loop.body);
    region_.loop = PipelinedLoop{loop.trips, loop.options.independent_buffers};
    finish_region();
  }

  void add_plain(const registers::RecordedLoop& loop) {
    registers::Operation start = operation_of(hw::isa::Opcode::s_mov);
    start.destination = registers_.make(registers::RegisterClass::scalar);
    start.y = loop.trips;
    add(start);
    finish_region();
    const int top = int(regions_.size());
    add(loop.body);
    registers::Operation again = operation_of(hw::isa::Opcode::s_loop);
    again.x = registers::Operand::of(start.destination);
    again.y = registers::Operand::of(unknown_target);
    add(again);
    region_.target = top;
    finish_region();
  }

  void finish_region() {
    if (!region_.operations.empty()) regions_.push_back(std::move(region_));
    region_ = Region{};
    region_.fifos = fifos_.state();
  }

  RegisterSource& registers_;
  FifoWalk fifos_;
  bool stored_ = false;  ///< vectors were stored since the last fence
  Region region_;
  std::vector<Region> regions_;
};

/// Returns the regions as blocks with one operation per bundle, and with a back edge for loops. Used only for liveness.
registers::BlockList as_blocks(const std::vector<Region>& regions) {
  registers::BlockList blocks;
  for (const Region& region : regions) {
    registers::Block block;
    block.operations = region.operations;
    if (region.loop) {
      registers::Operation trips =
          operation_of(hw::isa::Opcode::sync_set);  // reads the trips, as the scheduled loop will
      trips.x = region.loop->trips;
      trips.y = registers::Operand::of(0);
      block.operations.insert(block.operations.begin(), trips);
    }
    block.rows.resize(block.operations.size());
    for (std::size_t i = 0; i < block.operations.size(); ++i) block.rows[i].operation[0] = int(i);
    block.target = region.loop ? int(blocks.size()) : region.target;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace

std::vector<Region> divide_into_regions(const registers::RecordedCode& code, RegisterSource& registers) {
  std::vector<Region> regions = Division(code, registers).regions();
  const std::vector<registers::BlockLiveness> live = registers::find_block_liveness(as_blocks(regions));
  for (std::size_t r = 0; r < regions.size(); ++r) {
    regions[r].live_in = live[r].in;
    regions[r].live_out = live[r].out;
    if (!regions[r].loop) continue;
    regions[r].live_around = live[r].out;
    regions[r].live_out = r + 1 < regions.size() ? live[r + 1].in : registers::RegisterSet();
  }
  return regions;
}

}  // namespace podsim::sw::codegen::schedule
