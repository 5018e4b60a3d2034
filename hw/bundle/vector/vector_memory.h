// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "hw/bundle/vector/row_set.h"
#include "hw/memory/zero_pages.h"

namespace podsim::hw::bundle::vector {

/// Contents of VMEM: rows of 128 words, initially zero. All rows passed in must exist.
class VectorMemory {
 public:
  explicit VectorMemory(std::int64_t rows);

  /// Sublane i of d is row rows.row[i]; lanes outside the mask read zero.
  void load(const RowSet& rows, VectorRegister& d, const MaskRegister& mask) const;
  /// Writes sublane i of x to row rows.row[i] in the lanes of the mask. If rows are equal, the later sublane wins.
  void store(const RowSet& rows, const VectorRegister& x, const MaskRegister& mask);
  /// Words, row after row.
  std::span<std::uint32_t> words(std::uint64_t start, std::uint64_t count) {
    return {words_.data() + start, std::size_t(count)};
  }

 private:
  std::uint32_t* row(std::int64_t number) const { return words_.data() + number * lanes; }

  memory::ZeroPages<std::uint32_t> words_;
};

}  // namespace podsim::hw::bundle::vector
