// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/waits/background_ops.h"

#include <algorithm>
#include <utility>

#include "base/systemc/systemc_time.h"
#include "hw/chip/joint_moves.h"

namespace podsim::sw::runtime::waits {
namespace {

constexpr std::size_t queues = 2;
constexpr std::int64_t max_pieces = 4096, max_pieces_of_collectives = 256;
constexpr std::int64_t piece_bytes = 64 << 10;  ///< 160 ns of the HBM, a fraction of most tiles

/// The `number`th of `pieces` nearly equal parts of `bytes`.
base::Bytes part(base::Bytes bytes, std::int64_t number, std::int64_t pieces) {
  const auto until = [&](std::int64_t n) { return bytes.value() / pieces * n + bytes.value() % pieces * n / pieces; };
  return base::Bytes(until(number + 1) - until(number));
}

}  // namespace

BackgroundOps::BackgroundOps(sc_core::sc_module_name name, const TargetMachine& machine,
                             const std::vector<hw::chip::Chip*>& chips, OnFinish on_finish)
    : sc_module(name),
      clock_(machine.clock),
      bytes_per_cycle_(machine.hbm.stream_rate.si() / machine.clock.si()),
      turnaround_(machine.hbm.turnaround),
      cores_per_chip_(std::size_t(machine.cores_per_chip)),
      chips_("chips", chips.size()),
      waiting_(chips.size() * cores_per_chip_ * queues),
      on_finish_(std::move(on_finish)) {
  for (std::size_t chip = 0; chip < chips.size(); ++chip) chips_[chip].bind(chips[chip]->transfers);
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

void BackgroundOps::start(std::size_t core, std::uint64_t execution, const hw::OpResult& cost, Queue queue) {
  const auto read = double(cost.read_bytes.value()), written = double(cost.written_bytes.value());
  const double contiguous = read + written + turnaround_ * std::min(read, written);
  const double busy = double(cost.hbm_busy.value()) * bytes_per_cycle_;
  const double scale = contiguous > 0 ? busy / contiguous : 0;
  const std::int64_t most_pieces = queue == Queue::ops ? max_pieces : max_pieces_of_collectives;
  const bool in_pieces = chips_[core / cores_per_chip_]->ends_known();
  const std::int64_t pieces =
      in_pieces ? std::clamp<std::int64_t>(std::int64_t(busy) / piece_bytes, 1, most_pieces) : 1;
  const auto scaled = [&](double bytes) { return base::Bytes(std::int64_t(scale * bytes)); };
  const std::size_t waiting = core * queues + std::size_t(queue);
  waiting_[waiting].push_back({execution, cost, scaled(read), scaled(written), pieces, 0, {}});
  if (waiting_[waiting].size() == 1) begin_first(waiting);
}

void BackgroundOps::begin_first(std::size_t waiting) {
  waiting_[waiting].front().begin = clock_.edge_at_or_after(base::systemc::now());
  move_piece(waiting);
}

/// A piece ends when its data have moved, and not before its share of the op's duration has passed.
void BackgroundOps::move_piece(std::size_t waiting) {
  Op& op = waiting_[waiting].front();
  const std::size_t core = waiting / queues;
  const auto index = int(core % cores_per_chip_);
  hw::chip::ChipTransfers& chip = *chips_[core / cores_per_chip_][0];
  const base::Bytes read = part(op.read, op.moved, op.pieces);
  const base::Bytes written = part(op.written, op.moved, op.pieces);
  ++op.moved;
  const base::Time begin = clock_.time_of(op.begin);
  const base::Time share = clock_.time_of(op.begin + base::Cycles(op.cost.cycles.value() * op.moved / op.pieces));
  hw::chip::JointMoves moves(begin + chip.slowed(share - begin));
  const hw::chip::CoreMemory hbm = hw::chip::hbm_of(index), vmem = hw::chip::vmem_of(index);
  if (read > base::Bytes(0)) moves.add(chip.move(base::systemc::now(), {hbm, vmem, read}));
  if (written > base::Bytes(0)) moves.add(chip.move(base::systemc::now(), {vmem, hbm, written}));
  moves.then([this, waiting](base::Time end) {
    pieces_.push(end, std::uint32_t(waiting), waiting);
    wake_up();
  });
}

void BackgroundOps::wake_up() { wake_.notify(base::systemc::to_sc_time(pieces_.top().when - base::systemc::now())); }

void BackgroundOps::work() {
  while (!pieces_.empty() && pieces_.top().when <= base::systemc::now()) {
    const std::size_t waiting = pieces_.pop().value;
    if (waiting_[waiting].front().moved < waiting_[waiting].front().pieces) {
      move_piece(waiting);
      continue;
    }
    const std::uint64_t execution = waiting_[waiting].front().execution;
    waiting_[waiting].pop_front();
    if (!waiting_[waiting].empty()) begin_first(waiting);
    on_finish_(waiting / queues, execution);
  }
  if (!pieces_.empty()) wake_up();
}

}  // namespace podsim::sw::runtime::waits
