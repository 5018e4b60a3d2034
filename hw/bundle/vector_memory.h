// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "hw/bundle/row_set.h"
#include "hw/bundle/zero_pages.h"

namespace podsim::hw {

/// What VMEM holds: rows of 128 words, zero at first. Rows must exist.
class VectorMemory {
 public:
  explicit VectorMemory(std::int64_t rows);

  /// Sublane i is rows.row[i]; lanes outside of the mask read zero.
  void load(const RowSet& rows, VectorRegister& d, const MaskRegister& mask) const;
  /// Row rows.row[i] becomes sublane i in the lanes of the mask; of equal rows the later sublane wins.
  void store(const RowSet& rows, const VectorRegister& x, const MaskRegister& mask);
  /// Words, row after row.
  std::span<std::uint32_t> words(std::uint64_t start, std::uint64_t count) {
    return {words_.data() + start, std::size_t(count)};
  }

 private:
  std::uint32_t* row(std::int64_t number) const { return words_.data() + number * lanes; }

  ZeroPages<std::uint32_t> words_;
};

}  // namespace podsim::hw
