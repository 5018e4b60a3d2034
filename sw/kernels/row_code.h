// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hw/machine.h"
#include "sw/kernels/column_blocks.h"
#include "sw/kernels/issued_work.h"
#include "sw/kernels/kernel.h"
#include "sw/kernels/reduction_operator.h"
#include "sw/kernels/row_loop.h"

namespace podsim::sw {

class RowCode;

/// One pass over the rows of a matrix.
struct RowPass {
  KernelArray source;
  std::optional<KernelArray> target;
  std::function<void(RowCode&)> code;  ///< what is done to a row of tiles
};

/// A kernel made of passes over rows, with numbers per row (statistics) that later passes use.
struct RowKernel {
  std::vector<RowPass> passes;
  std::int64_t statistics = 0;
  std::vector<KernelArray> parameters;  ///< f32 vectors with an element per column
};

/// What the passes of a kernel have in common: the matrices' size and how rows and columns are cut.
struct RowShape {
  explicit RowShape(const Shape& matrix);
  std::int64_t row_tiles = 0;
  ColumnBlocks columns;
};

/// VMEM that the rows at hand use: where they begin, and what is the same for all of them.
struct RowMemory {
  RowStream source, target;
  std::vector<RowStream> statistics;
  std::vector<RowAddress> parameters;  ///< of the first lane tile of the block of columns
};

/// A row of 8-row tiles at hand while a pass's code for it is written: the lane tiles of one block of columns.
class RowCode {
 public:
  KernelBuilder& builder() const { return builder_; }
  /// The source's lane tiles, in f32.
  std::vector<VectorReg> row() const;
  /// In every lane of a sublane, the statistic of that row.
  VectorReg statistic(std::size_t number) const;
  /// Reduces what is in the columns' lanes of `values` to a number per row, together with the blocks of columns before.
  /// The registers are not kept.
  void reduce(std::size_t statistic, const ReductionOperator& reduction, const std::vector<VectorReg>& values) const;
  /// A parameter's elements for the columns of a lane tile, in every sublane.
  VectorReg parameter(std::size_t number, std::size_t lane_tile) const;
  void write(const std::vector<VectorReg>& values) const;

 private:
  friend class RowSweep;
  RowCode(KernelBuilder& builder, const RowPass& pass, const RowShape& shape)
      : builder_(builder), pass_(pass), shape_(shape) {}

  KernelBuilder& builder_;
  const RowPass& pass_;
  const RowShape& shape_;
  LaneMasks masks_;
  MaskReg continued_;  ///< all lanes, but none in the first block of columns
  RowAddress source_, target_;
  std::vector<RowAddress> statistics_, parameters_;
};

/// Writes one pass over rows of tiles that are in VMEM, for one block of columns.
class RowSweep {
 public:
  RowSweep(const RowPass& pass, const RowShape& shape) : pass_(pass), shape_(shape) {}
  /// `block`: the number of the block of columns.
  void write(KernelBuilder& builder, std::int64_t row_tiles, ScalarOperand block, const RowMemory& memory) const;
  /// The work for one row of tiles in one block of columns.
  hw::TilePhase row_work(const hw::Machine& machine, const RowKernel& kernel) const;

 private:
  RowCode prepare(KernelBuilder& builder, ScalarOperand block) const;
  void write_row(RowCode code, const RowMemory& memory, const RowPlace& place) const;

  const RowPass& pass_;
  const RowShape& shape_;
};

}  // namespace podsim::sw
