// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/bank_stream.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace podsim::hw::memory::banks {
namespace {

constexpr std::uint64_t alignment = 4096;  // of arrays: one layout tile of 8 x 128 words

}  // namespace

BankStream::BankStream(const Machine& machine)
    : core_(machine.clock),
      memory_(machine.dram.clock),
      bank_latency_{memory_.time_of(machine.dram.timing.rcd_read + machine.dram.timing.cl),
                    memory_.time_of(machine.dram.timing.rcd_write + machine.dram.timing.cwl)},
      issuer_(machine.dram, 2, machine.dma.granules),
      half_(std::uint64_t(machine.hbm.capacity_per_core.value()) / 2) {
  begin_ = next_address_ = {0, half_};
}

void BankStream::submit(Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag,
                        const AccessShape& shape) {
  if (free_.empty()) {
    free_.push_back(requests_.size());
    requests_.emplace_back();
  }
  const std::uint64_t number = free_.back();
  free_.pop_back();
  requests_[number] = {direction, bytes, tag};
  const auto lane = std::size_t(direction);
  const base::Time first_data = core_.time_of(arrival);
  const base::Time issue = first_data - std::min(first_data, bank_latency_[lane]);
  issuer_.submit(int(lane), {direction, place(lane, bytes, shape)},
                 std::max(issuer_.now(), memory_.edge_at_or_after(issue)), number);
}

AccessPattern BankStream::place(std::size_t lane, base::Bytes bytes, const AccessShape& shape) {
  assert(shape.contiguous() || bytes % shape.row == base::Bytes(0));
  const std::int64_t rows = shape.contiguous() ? 1 : bytes / shape.row;
  const auto length = std::uint64_t(shape.contiguous()            ? bytes.value()
                                    : shape.span > base::Bytes(0) ? shape.span.value()
                                                                  : rows * shape.pitch);
  if (!shape.contiguous()) next_address_[lane] = (next_address_[lane] + alignment - 1) & ~(alignment - 1);
  if (next_address_[lane] + length > begin_[lane] + half_) next_address_[lane] = begin_[lane];
  const std::uint64_t base = next_address_[lane];
  if (shape.span > base::Bytes(0)) return AccessPattern::scattered(base, shape.row, rows, shape.span, seed_++);
  next_address_[lane] += length;
  if (shape.contiguous()) return AccessPattern::contiguous(base, bytes);
  return {base, rows, shape.row, shape.pitch};
}

/// The last clock of the memory that is not after a cycle of the core.
base::Cycles BankStream::last_edge_until(base::Cycles cycle) const {
  if (cycle == timing::HbmStream::no_limit) return cycle;
  const base::Time until = core_.time_of(cycle);
  const base::Cycles clock = memory_.edge_at_or_after(until);
  return memory_.time_of(clock) > until ? clock - base::Cycles(1) : clock;
}

void BankStream::advance(base::Cycles cycle, std::vector<timing::HbmStream::Completion>& completed) {
  const base::Cycles clock = last_edge_until(cycle);
  while (issuer_.now() < clock) {
    issuer_.advance(clock, done_);
    take(completed);
  }
}

base::Cycles BankStream::complete_next(std::vector<timing::HbmStream::Completion>& completed, base::Cycles limit) {
  assert(limit != timing::HbmStream::no_limit || !idle());
  const std::size_t before = completed.size();
  const base::Cycles clock = last_edge_until(limit);
  while (completed.size() == before && issuer_.now() < clock) {
    issuer_.advance(clock, done_);
    take(completed);
  }
  const base::Cycles cycle = completed.size() == before ? limit : completed.back().cycle;
  advance(cycle, completed);
  return cycle;
}

void BankStream::take(std::vector<timing::HbmStream::Completion>& completed) {
  for (const dram::GranuleIssuer::Completion& done : done_) {
    const Request& request = requests_[done.tag];
    completed.push_back({request.tag, request.direction, request.bytes, core_cycle(done.clock)});
    free_.push_back(done.tag);
  }
  done_.clear();
}

}  // namespace podsim::hw::memory::banks
