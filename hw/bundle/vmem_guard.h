// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "hw/bundle/region.h"
#include "hw/bundle/row_set.h"
#include "hw/bundle/zero_pages.h"

namespace podsim::hw {

/// What makes an access to VMEM a mistake of the program, row by row: rows that do not exist, rows that a DMA in flight
/// writes or reads, rows whose store cannot be seen yet. A mask chooses lanes, not rows: all eight rows of an access
/// count whatever its mask.
class VmemGuard {
 public:
  /// A row is seen by loads and DMA `store_to_load` cycles after the store.
  VmemGuard(std::int64_t rows, base::Cycles store_to_load);

  enum class Fault { none, out_of_range, dma_writes, dma_reads, store_not_seen };
  struct Finding {
    Fault fault = Fault::none;
    std::int64_t row = 0;
    base::Cycles seen;  ///< store_not_seen: when it will be
  };
  Finding check_load(const RowSet& rows, base::Cycles now) const;
  Finding check_store(const RowSet& rows) const;
  /// Of a DMA that is about to start; it may not overlap stores either.
  Finding check_dma_read(const Region& words, base::Cycles now) const;

  void store(const RowSet& rows, base::Cycles now);
  /// When all that was stored can be seen.
  base::Cycles all_seen() const { return all_seen_; }

  /// Marks the rows of a transfer as written or read by a DMA in flight, or takes a mark away.
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
  std::int64_t dma_marks_ = 0;                  ///< transfers that have marks
  ZeroPages<std::uint32_t> writers_, readers_;  ///< by row: marks of DMAs in flight
  ZeroPages<base::Cycles> seen_;                ///< by row: when its last store can be seen
};

}  // namespace podsim::hw
