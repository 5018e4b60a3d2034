// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/liveness.h"

#include <algorithm>

#include "hw/isa/latency.h"

namespace podsim::sw {

namespace {

using Bits = std::vector<std::uint64_t>;

bool test(const Bits& bits, int i) { return bits[std::size_t(i) / 64] >> (i % 64) & 1; }
void set(Bits& bits, int i) { bits[std::size_t(i) / 64] |= std::uint64_t(1) << (i % 64); }
/// bits |= more; whether that changed anything.
bool unite(Bits& bits, const Bits& more) {
  bool changed = false;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    changed = changed || (more[i] & ~bits[i]) != 0;
    bits[i] |= more[i];
  }
  return changed;
}

/// What a block does to registers, and what is known at its ends.
struct BlockFacts {
  Bits exposed;      ///< read before it overwrites them
  Bits overwritten;  ///< and nothing left of the former value
  Bits live_out;
  Bits written;     ///< in any way
  Bits written_in;  ///< on some path to it
};

template <class Visit>
void for_each(const Block& block, const Row& row, const Visit& visit) {
  for (int number : row.operation) {
    if (number >= 0) visit(block.operations[std::size_t(number)]);
  }
}

int register_count(const BlockList& blocks) {
  int count = 0;
  const auto see = [&](Register reg) { count = std::max(count, reg.number() + 1); };
  for (const Block& block : blocks) {
    for (const Operation& operation : block.operations) {
      for (Register reg : RegisterReads(operation)) see(reg);
      if (auto reg = written_register(operation)) see(*reg);
    }
  }
  return count;
}

class Analysis {
 public:
  Analysis(const hw::Machine& machine, const BlockList& blocks)
      : machine_(machine), blocks_(blocks), registers_(register_count(blocks)) {}

  Liveness run() {
    gather();
    spread_backward();
    spread_forward();
    Liveness result;
    result.ranges.resize(std::size_t(registers_));
    int row = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      result.block_rows.push_back(row);
      add_ranges(b, row, result);
      row += int(blocks_[b].rows.size()) + blocks_[b].settle;
    }
    return result;
  }

 private:
  Bits none() const { return Bits(std::size_t(registers_ + 63) / 64); }

  void gather() {
    for (const Block& block : blocks_) {
      BlockFacts facts{none(), none(), none(), none(), none()};
      for (const Row& row : block.rows) {
        for_each(block, row, [&](const Operation& operation) {
          for (Register reg : RegisterReads(operation)) {
            if (!test(facts.overwritten, reg.number())) set(facts.exposed, reg.number());
          }
        });
        for_each(block, row, [&](const Operation& operation) {
          auto reg = written_register(operation);
          if (!reg) return;
          set(facts.written, reg->number());
          if (overwrites(operation)) set(facts.overwritten, reg->number());
        });
      }
      facts_.push_back(std::move(facts));
    }
  }

  std::vector<std::size_t> successors(std::size_t b) const {
    std::vector<std::size_t> list;
    if (blocks_[b].target >= 0) list.push_back(std::size_t(blocks_[b].target));
    if (b + 1 < blocks_.size() && !blocks_[b].jumps) list.push_back(b + 1);
    return list;
  }

  void spread_backward() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = blocks_.size(); b-- > 0;) {
        for (std::size_t next : successors(b)) changed |= unite(facts_[b].live_out, live_in(next));
      }
    }
  }

  void spread_forward() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < blocks_.size(); ++b) {
        Bits out = facts_[b].written_in;
        unite(out, facts_[b].written);
        for (std::size_t next : successors(b)) changed |= unite(facts_[next].written_in, out);
      }
    }
  }

  Bits live_in(std::size_t b) const {
    Bits live = facts_[b].live_out;
    for (std::size_t i = 0; i < live.size(); ++i)
      live[i] = (live[i] & ~facts_[b].overwritten[i]) | facts_[b].exposed[i];
    return live;
  }

  /// Ranges of one block, found from its end to its beginning.
  void add_ranges(std::size_t b, int first_row, Liveness& result) {
    const Block& block = blocks_[b];
    const int rows = int(block.rows.size());
    const int end = 2 * (first_row + rows + block.settle) - 1;
    std::vector<int> open(std::size_t(registers_), -1), mentioned(std::size_t(registers_), end + 1);
    for (int reg = 0; reg < registers_; ++reg) {
      if (test(facts_[b].live_out, reg)) open[std::size_t(reg)] = end;
    }
    const auto close = [&](int reg, int begin) {
      result.ranges[std::size_t(reg)].push_back({begin, open[std::size_t(reg)]});
      open[std::size_t(reg)] = -1;
    };
    for (int r = rows - 1; r >= 0; --r) {
      const int position = 2 * (first_row + r);
      for_each(block, block.rows[std::size_t(r)], [&](const Operation& operation) {
        auto reg = written_register(operation);
        if (!reg) return;
        const auto index = std::size_t(reg->number());
        const int latency = std::max(1, int(hw::isa::result_latency(machine_, operation.opcode).value()));
        open[index] = std::max(open[index], position + 2 * latency - 1);
        mentioned[index] = position + 1;
        if (overwrites(operation)) close(reg->number(), position + 1);
      });
      for_each(block, block.rows[std::size_t(r)], [&](const Operation& operation) {
        for (Register reg : RegisterReads(operation)) {
          const auto index = std::size_t(reg.number());
          open[index] = std::max(open[index], position);
          mentioned[index] = position;
        }
      });
    }
    for (int reg = 0; reg < registers_; ++reg) {
      if (open[std::size_t(reg)] < 0) continue;
      const bool comes_in = test(facts_[b].written_in, reg);
      const int begin = comes_in ? 2 * first_row : mentioned[std::size_t(reg)];
      if (begin <= open[std::size_t(reg)]) close(reg, begin);
    }
  }

  const hw::Machine& machine_;
  const BlockList& blocks_;
  int registers_;
  std::vector<BlockFacts> facts_;
};

}  // namespace

Liveness find_liveness(const hw::Machine& machine, const BlockList& blocks) {
  Liveness liveness = Analysis(machine, blocks).run();
  for (auto& ranges : liveness.ranges) {
    std::sort(ranges.begin(), ranges.end(), [](LiveRange a, LiveRange b) { return a.begin < b.begin; });
  }
  return liveness;
}

}  // namespace podsim::sw
