// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/vmem_guard.h"

#include <algorithm>

namespace podsim::hw::bundle::vector {

namespace {

/// Calls `visit` with every VMEM row that a region touches, once per row of the region.
template <class Visit>
void for_each_vmem_row(const Region& words, Visit visit) {
  if (words.empty()) return;
  for (std::uint64_t r = 0; r < words.rows; ++r) {
    const std::uint64_t last = (words.row(r) + words.words - 1) / lanes;
    for (std::uint64_t row = words.row(r) / lanes; row <= last; ++row) visit(std::size_t(row));
  }
}

}  // namespace

VmemGuard::VmemGuard(std::int64_t rows, base::Cycles store_to_load)
    : rows_(rows),
      store_to_load_(store_to_load),
      writers_(std::size_t(rows)),
      readers_(std::size_t(rows)),
      seen_(std::size_t(rows)) {}

VmemGuard::Finding VmemGuard::check_load(const RowSet& rows, base::Cycles now) const {
  if (!inside(rows)) return outside(rows);
  if (dma_marks_ != 0) {
    if (const Finding finding = first_marked(rows, false); finding.fault != Fault::none) return finding;
  }
  if (now >= all_seen_) return {};
  for (const std::int64_t row : rows.row) {
    if (seen_[std::size_t(row)] > now) return {Fault::store_not_seen, row, seen_[std::size_t(row)]};
  }
  return {};
}

VmemGuard::Finding VmemGuard::check_store(const RowSet& rows) const {
  if (!inside(rows)) return outside(rows);
  return dma_marks_ != 0 ? first_marked(rows, true) : Finding{};
}

VmemGuard::Finding VmemGuard::check_dma_read(const Region& words, base::Cycles now) const {
  Finding finding;
  if (now >= all_seen_) return finding;
  for_each_vmem_row(words, [&](std::size_t row) {
    if (finding.fault == Fault::none && seen_[row] > now) {
      finding = {Fault::store_not_seen, std::int64_t(row), seen_[row]};
    }
  });
  return finding;
}

void VmemGuard::store(const RowSet& rows, base::Cycles now) {
  all_seen_ = now + store_to_load_;
  for (const std::int64_t row : rows.row) seen_[std::size_t(row)] = all_seen_;
}

bool VmemGuard::inside(const RowSet& rows) const {
  bool inside = true;
  for (const std::int64_t row : rows.row) inside &= std::uint64_t(row) < std::uint64_t(rows_);
  return inside;
}

VmemGuard::Finding VmemGuard::outside(const RowSet& rows) const {
  const auto first = std::find_if(rows.row.begin(), rows.row.end(),
                                  [&](std::int64_t row) { return std::uint64_t(row) >= std::uint64_t(rows_); });
  return {Fault::out_of_range, *first, {}};
}

VmemGuard::Finding VmemGuard::first_marked(const RowSet& rows, bool readers_too) const {
  for (const std::int64_t row : rows.row) {
    if (writers_[std::size_t(row)] != 0) return {Fault::dma_writes, row, {}};
    if (readers_too && readers_[std::size_t(row)] != 0) return {Fault::dma_reads, row, {}};
  }
  return {};
}

void VmemGuard::mark(const Region& words, bool writes, int change) {
  memory::ZeroPages<std::uint32_t>& marks = writes ? writers_ : readers_;
  for_each_vmem_row(words, [&](std::size_t row) { marks[row] += std::uint32_t(change); });
  dma_marks_ += change;
}

}  // namespace podsim::hw::bundle::vector
