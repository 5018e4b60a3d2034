// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "hw/bundle/row_set.h"

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
    return {words_.get() + start, std::size_t(count)};
  }

 private:
  std::uint32_t* row(std::int64_t number) const { return words_.get() + number * lanes; }

  struct Unmap {
    std::size_t bytes;
    void operator()(std::uint32_t* words) const;
  };
  /// Pages of the operating system, which are zero and take no host memory until they are written.
  std::unique_ptr<std::uint32_t[], Unmap> words_;
};

}  // namespace podsim::hw
