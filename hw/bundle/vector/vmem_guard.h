// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "hw/bundle/vector/region.h"
#include "hw/bundle/vector/row_set.h"
#include "hw/memory/zero_pages.h"

namespace podsim::hw::bundle::vector {

/// Checks VMEM accesses for mistakes of the program, row by row: rows that do not exist, rows that a DMA in flight
/// writes or reads, rows with a store that is not visible yet. A mask selects lanes, not rows: all eight rows of an
/// access are checked whatever its mask.
class VmemGuard {
 public:
  /// A store is visible to loads and DMA `store_to_load` cycles later.
  VmemGuard(std::int64_t rows, base::Cycles store_to_load);

  enum class Fault { none, out_of_range, dma_writes, dma_reads, store_not_seen };
  struct Finding {
    Fault fault = Fault::none;
    std::int64_t row = 0;
    base::Cycles seen;  ///< for store_not_seen: when the store becomes visible
  };
  Finding check_load(const RowSet& rows, base::Cycles now) const;
  Finding check_store(const RowSet& rows) const;
  /// Checks the rows that a DMA reads when it starts: their stores must be visible.
  Finding check_dma_read(const Region& words, base::Cycles now) const;

  void store(const RowSet& rows, base::Cycles now);
  /// First cycle in which all stores so far are visible.
  base::Cycles all_seen() const { return all_seen_; }

  /// Marks the rows of a transfer as written or read by a DMA in flight, and removes the mark.
  void begin_dma(const Region& words, bool writes) { mark(words, writes, 1); }
  void end_dma(const Region& words, bool writes) { mark(words, writes, -1); }

  std::int64_t rows() const { return rows_; }

 private:
  bool inside(const RowSet& rows) const;
  Finding outside(const RowSet& rows) const;
  Finding first_marked(const RowSet& rows, bool readers_too) const;
  void mark(const Region& words, bool writes, int change);

  std::int64_t rows_;
  base::Cycles store_to_load_;
  base::Cycles all_seen_;
  std::int64_t dma_marks_ = 0;                          ///< number of transfers with marks
  memory::ZeroPages<std::uint32_t> writers_, readers_;  ///< by row: marks of DMAs in flight
  memory::ZeroPages<base::Cycles> seen_;                ///< by row: when its last store is visible
};

}  // namespace podsim::hw::bundle::vector
