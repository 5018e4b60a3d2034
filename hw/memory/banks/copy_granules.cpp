// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/copy_granules.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::memory::banks {

CopyGranules::CopyGranules(const DmaCopy& transfer, base::Bytes unit) : transfer_(transfer), unit_(unit.value()) {
  const std::int64_t row = transfer.row_bytes.value();
  if (transfer.source.stride == row && transfer.destination.stride == row) {
    transfer_.row_bytes = transfer.bytes();
    transfer_.rows = 1;
  }
  if (transfer_.row_bytes.value() == 0) transfer_.rows = 0;
}

Granule CopyGranules::next() {
  assert(!done());
  const std::int64_t left = transfer_.row_bytes.value() - offset_;
  const std::int64_t bytes = std::min({left, to_boundary(transfer_.source), to_boundary(transfer_.destination), unit_});
  const Granule granule{std::uint64_t(address(transfer_.source)), std::uint64_t(address(transfer_.destination)),
                        base::Bytes(bytes)};
  offset_ += bytes;
  if (offset_ == transfer_.row_bytes.value()) {
    offset_ = 0;
    ++row_;
  }
  return granule;
}

std::int64_t CopyGranules::address(const DmaEnd& end) const {
  return std::int64_t(end.row_begin(row_, transfer_.row_bytes)) + offset_;
}

std::int64_t CopyGranules::to_boundary(const DmaEnd& end) const {
  return end.port ? unit_ - (address(end) & (unit_ - 1)) : unit_;
}

}  // namespace podsim::hw::memory::banks
