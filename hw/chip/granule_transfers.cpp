// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/granule_transfers.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/systemc/systemc_time.h"
#include "hw/memory/banks/memory_path.h"

namespace podsim::hw::chip {

using memory::banks::DmaEnd;

GranuleTransfers::GranuleTransfers(const Machine& machine, memory::banks::BankMemory& memory) : memory_(memory) {
  const memory::banks::MemoryPath path(machine);
  const auto front_end = [&](base::Cycles latency, Direction direction) {
    return std::max(base::Cycles(0), latency - path.duration(direction));
  };
  copy_latency_ = base::Clock(machine.clock)
                      .time_of(front_end(machine.dma.read_latency, Direction::read) +
                               front_end(machine.dma.write_latency, Direction::write));
  for (int core = 0; core < memory.ports().cores(); ++core) {
    memory.dma(core).on_completion([this](std::uint64_t tag) { ended(tag); });
  }
}

MoveEnd GranuleTransfers::move(base::Time now, const Move& move) {
  assert(now == base::systemc::now());
  if (move.bytes == base::Bytes(0)) return {now};
  if (free_.empty()) {
    free_.push_back(running_.size());
    running_.emplace_back();
  }
  const std::uint64_t tag = free_.back();
  free_.pop_back();
  begin(move, tag);
  return {now, &running_[tag]};
}

void GranuleTransfers::carry(Direction direction, int core, base::Bytes bytes, base::Time begin, base::Time end,
                             std::function<void()> moved) {
  memory_.host_dma().carry(direction, memory_.hbm(core), memory_.addresses(core), bytes, begin, end, std::move(moved));
}

void GranuleTransfers::copy(int core, base::Bytes bytes, std::function<void()> moved) {
  move(base::systemc::now(), {hbm_of(core), hbm_of(core), bytes}).running->on_end(std::move(moved));
}

/// Data of more than the addresses of a half move in several copies at once.
void GranuleTransfers::begin(const Move& move, std::uint64_t tag) {
  const int mover = move.from.kind == CoreMemory::Kind::vmem ? move.from.core : move.to.core;
  const base::Bytes most = memory_.addresses(mover).most();
  for (base::Bytes left = move.bytes; left > base::Bytes(0); left -= std::min(left, most)) {
    const base::Bytes bytes = std::min(left, most);
    ++running_[tag].copies;
    const DmaEnd source = end(move.from, Direction::read, bytes);
    const DmaEnd destination = move.from.kind == CoreMemory::Kind::vmem && move.to.kind == CoreMemory::Kind::vmem
                                   ? DmaEnd{memory_.core(move.to.core)}
                                   : end(move.to, Direction::write, bytes);
    memory_.dma(mover).start({source, destination, 1, bytes}, tag);
  }
}

DmaEnd GranuleTransfers::end(const CoreMemory& place, Direction direction, base::Bytes bytes) {
  if (place.kind == CoreMemory::Kind::hbm) {
    return {memory_.hbm(place.core), memory_.addresses(place.core).next(direction, bytes)};
  }
  return {};
}

/// Frees the tag before the call, which may begin the next transfer.
void GranuleTransfers::ended(std::uint64_t tag) {
  if (--running_[tag].copies > 0) return;
  const std::vector<std::function<void()>> next = std::exchange(running_[tag].next, {});
  free_.push_back(tag);
  for (const std::function<void()>& call : next) call();
}

}  // namespace podsim::hw::chip
