// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/vmem_ports.h"

#include <numeric>

namespace podsim::hw::bundle::vector {

/// Every banks / gcd(banks, stride)-th row of a stride is in the same bank.
std::int64_t VmemPorts::cycles_of_stride(std::int32_t stride) {
  if (stride == 0) return 1;  // one row for all sublanes
  return std::gcd(std::int64_t(stride), std::int64_t(banks)) * sublanes / banks;
}

std::int64_t VmemPorts::cycles_of_shuffle(std::uint32_t nibbles) {
  std::uint32_t rows = 0;
  for (int sublane = 0; sublane < sublanes; ++sublane) rows |= 1U << (nibbles >> (4 * sublane) & 15);
  return (rows & rows >> banks) != 0 ? 2 : 1;
}

void VmemPorts::set_dma(VmemPort port, DmaRows rows) {
  Side& side = sides_[std::size_t(port)];
  if (side.dma.rate == 0 || rows.rate == 0) side.backlog = 0;
  rows.rate = std::min(rows.rate, banks * row);
  rows.slower_rate = std::min(rows.slower_rate, banks * row);
  side.dma = rows;
  side.last = std::max(side.last, rows.from);
}

}  // namespace podsim::hw::bundle::vector
