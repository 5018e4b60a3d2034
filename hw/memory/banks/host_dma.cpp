// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/host_dma.h"

#include <algorithm>
#include <utility>

#include "base/systemc/systemc_time.h"

namespace podsim::hw::memory::banks {

namespace {

constexpr std::int64_t piece_bytes = 4096;

}  // namespace

HostDma::HostDma(sc_core::sc_module_name name, const Machine& machine, const Trace& trace)
    : CopyDma(name, machine, trace) {
  on_completion([this](std::uint64_t transfer) { piece_moved(transfer); });
  SC_METHOD(begin_pieces);
  sensitive << due_event_;
  dont_initialize();
}

void HostDma::carry(Direction direction, const DmaPort& half, TransferAddresses& addresses, base::Bytes bytes,
                    base::Time begin, base::Time end, std::function<void()> moved) {
  if (free_.empty()) {
    free_.push_back(transfers_.size());
    transfers_.emplace_back();
  }
  const std::size_t number = free_.back();
  free_.pop_back();
  const std::int64_t pieces = base::divide_round_up(bytes.value(), piece_bytes);
  transfers_[number] = {direction, half, &addresses, bytes, pieces + 1, std::move(moved)};
  // Data that come in are available after their time on the link.
  const std::int64_t first = direction == Direction::read ? 1 : 0;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const double share = double(piece + first) / double(pieces);
    due_.push(begin + base::Time(std::int64_t(share * double((end - begin).value()))), 0, {number});
  }
  due_.push(end, 1, {number, true});
  due_event_.notify(base::systemc::to_sc_time(due_.top().when - base::systemc::now()));
}

void HostDma::begin_pieces() {
  while (!due_.empty() && due_.top().when <= base::systemc::now()) begin_piece(due_.pop().value);
  if (!due_.empty()) due_event_.notify(base::systemc::to_sc_time(due_.top().when - base::systemc::now()));
}

void HostDma::begin_piece(const Due& due) {
  if (due.end) return piece_moved(due.transfer);
  Transfer& transfer = transfers_[due.transfer];
  const base::Bytes bytes = std::min(transfer.left_bytes, base::Bytes(piece_bytes));
  transfer.left_bytes -= bytes;
  const bool comes_in = transfer.direction == Direction::read;
  const Direction here = comes_in ? Direction::write : Direction::read;
  const DmaEnd host, memory{transfer.half, transfer.addresses->next(here, bytes)};
  start({comes_in ? host : memory, comes_in ? memory : host, 1, bytes}, due.transfer);
}

void HostDma::piece_moved(std::size_t number) {
  if (--transfers_[number].left > 0) return;
  const std::function<void()> moved = std::exchange(transfers_[number].moved, nullptr);
  free_.push_back(number);
  moved();
}

}  // namespace podsim::hw::memory::banks
