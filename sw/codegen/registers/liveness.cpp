// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/registers/liveness.h"

#include <algorithm>

#include "hw/isa/latency.h"

namespace podsim::sw::codegen::registers {

namespace {

template <class Visit>
void for_each(const Block& block, const Row& row, const Visit& visit) {
  for (int number : row.operation) {
    if (number >= 0) visit(block.operations[std::size_t(number)]);
  }
}

int register_bound(const BlockList& blocks) {
  int bound = 0;
  const auto see = [&](Register reg) { bound = std::max(bound, reg.number() + 1); };
  for (const Block& block : blocks) {
    for (const Operation& operation : block.operations) {
      for (Register reg : RegisterReads(operation)) see(reg);
      if (auto reg = written_register(operation)) see(*reg);
    }
  }
  return bound;
}

std::vector<std::size_t> successors(const BlockList& blocks, std::size_t b) {
  std::vector<std::size_t> list;
  if (blocks[b].target >= 0) list.push_back(std::size_t(blocks[b].target));
  if (b + 1 < blocks.size() && !blocks[b].jumps) list.push_back(b + 1);
  return list;
}

/// The effect of a block on registers.
struct BlockEffect {
  RegisterSet exposed;      ///< registers read before the block overwrites them
  RegisterSet overwritten;  ///< registers with nothing left of their former value
  RegisterSet written;      ///< registers written completely or in part
};

BlockEffect effect_of(const Block& block) {
  BlockEffect effect;
  for (const Row& row : block.rows) {
    for_each(block, row, [&](const Operation& operation) {
      for (Register reg : RegisterReads(operation)) {
        if (!effect.overwritten.contains(reg)) effect.exposed.insert(reg);
      }
    });
    for_each(block, row, [&](const Operation& operation) {
      auto reg = written_register(operation);
      if (!reg) return;
      effect.written.insert(*reg);
      if (overwrites(operation)) effect.overwritten.insert(*reg);
    });
  }
  return effect;
}

/// Returns the registers that are written on some path to each block.
std::vector<RegisterSet> written_before(const BlockList& blocks, const std::vector<BlockEffect>& effects) {
  std::vector<RegisterSet> before(blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      RegisterSet out = before[b];
      out.unite(effects[b].written);
      for (std::size_t next : successors(blocks, b)) changed |= before[next].unite(out);
    }
  }
  return before;
}

/// Finds the live ranges of a block, from its end to its beginning.
class BlockRanges {
 public:
  BlockRanges(const hw::Machine& machine, const Block& block, int first_row, LiveRanges& result)
      : machine_(machine),
        block_(block),
        first_row_(first_row),
        result_(result),
        open_(result.of.size(), none),
        mentioned_(result.of.size(), none) {}

  void run(const BlockLiveness& live) {
    const int rows = int(block_.rows.size());
    live.out.for_each([&](int reg) { extend(reg, 2 * (first_row_ + rows + block_.settle) - 1); });
    for (int r = rows - 1; r >= 0; --r) {
      const int position = 2 * (first_row_ + r);
      for_each(block_, block_.rows[std::size_t(r)],
               [&](const Operation& operation) { write(operation, position + 1); });
      for_each(block_, block_.rows[std::size_t(r)], [&](const Operation& operation) {
        for (Register reg : RegisterReads(operation)) {
          extend(reg.number(), position);
          mentioned_[std::size_t(reg.number())] = position;
        }
      });
    }
    for (std::size_t reg = 0; reg < open_.size(); ++reg) {
      if (open_[reg] == none) continue;
      const int begin = live.in.contains(int(reg)) ? 2 * first_row_ : mentioned_[reg];
      if (begin != none) close(int(reg), begin);
    }
  }

 private:
  static constexpr int none = -1;

  void extend(int reg, int end) { open_[std::size_t(reg)] = std::max(open_[std::size_t(reg)], end); }

  void write(const Operation& operation, int position) {
    auto reg = written_register(operation);
    if (!reg) return;
    const int latency = std::max(1, int(hw::isa::result_latency(machine_, operation.opcode).value()));
    extend(reg->number(), position + 2 * (latency - 1));
    mentioned_[std::size_t(reg->number())] = position;
    if (overwrites(operation)) close(reg->number(), position);
  }

  void close(int reg, int begin) {
    result_.of[std::size_t(reg)].push_back({begin, open_[std::size_t(reg)]});
    open_[std::size_t(reg)] = none;
  }

  const hw::Machine& machine_;
  const Block& block_;
  int first_row_;
  LiveRanges& result_;
  std::vector<int> open_, mentioned_;  ///< end of a range without a known beginning; occurrence seen last
};

}  // namespace

std::vector<BlockLiveness> find_block_liveness(const BlockList& blocks) {
  std::vector<BlockEffect> effects;
  for (const Block& block : blocks) effects.push_back(effect_of(block));
  std::vector<BlockLiveness> live(blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      for (std::size_t next : successors(blocks, b)) changed |= live[b].out.unite(live[next].in);
      RegisterSet in = live[b].out;
      in.remove_all(effects[b].overwritten);
      in.unite(effects[b].exposed);
      changed |= live[b].in.unite(in);
    }
  }
  const std::vector<RegisterSet> before = written_before(blocks, effects);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    live[b].in.keep_only(before[b]);
    RegisterSet after = before[b];
    after.unite(effects[b].written);
    live[b].out.keep_only(after);
  }
  return live;
}

LiveRanges find_live_ranges(const hw::Machine& machine, const BlockList& blocks) {
  const std::vector<BlockLiveness> live = find_block_liveness(blocks);
  LiveRanges result;
  result.of.resize(std::size_t(register_bound(blocks)));
  int row = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    result.block_rows.push_back(row);
    BlockRanges(machine, blocks[b], row, result).run(live[b]);
    row += int(blocks[b].rows.size()) + blocks[b].settle;
  }
  for (auto& ranges : result.of) {
    std::sort(ranges.begin(), ranges.end(), [](LiveRange a, LiveRange b) { return a.begin < b.begin; });
  }
  return result;
}

}  // namespace podsim::sw::codegen::registers
