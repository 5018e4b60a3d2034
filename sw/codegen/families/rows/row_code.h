// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hw/machine.h"
#include "sw/codegen/builder/column_blocks.h"
#include "sw/codegen/builder/issued_work.h"
#include "sw/codegen/builder/row_loop.h"
#include "sw/codegen/families/kernel.h"
#include "sw/codegen/families/reduction_operator.h"

namespace podsim::sw::codegen::families::rows {

class RowCode;

/// A pass over the rows of a matrix.
struct RowPass {
  KernelArray source;
  std::optional<KernelArray> target;
  std::function<void(RowCode&)> code;  ///< writes the code for a row of tiles
};

/// A kernel made of passes over rows. Each row has numbers (statistics) that later passes use.
struct RowKernel {
  std::vector<RowPass> passes;
  std::int64_t statistics = 0;
  std::vector<KernelArray> parameters;  ///< f32 vectors with one element per column
};

/// Shape that the passes of a kernel share: the size of the matrices, and the blocks of columns.
struct RowShape {
  explicit RowShape(const hlo::Shape& matrix);
  std::int64_t row_tiles = 0;
  builder::ColumnBlocks columns;
};

/// Numbers of a pass's streams in its plan.
inline constexpr int source_stream = 0, target_stream = 1;

/// VMEM addresses for a loop over rows: where the rows begin, and data that all rows share.
struct RowMemory {
  builder::RowStream source, target;
  std::vector<builder::RowStream> statistics;
  std::vector<registers::RowAddress> parameters;  ///< address of the first lane tile in the block of columns
};

/// The current row of 8-row tiles, while a pass's code for it is written: the lane tiles of a block of columns.
class RowCode {
 public:
  builder::KernelBuilder& builder() const { return builder_; }
  /// The source's lane tiles, in f32.
  std::vector<registers::VectorReg> row() const;
  /// A statistic: every lane of a sublane holds that of the sublane's row.
  registers::VectorReg statistic(std::size_t number) const;
  /// Reduces `values`, in the lanes that are columns, to a number per row, and combines it with the previous blocks of
  /// columns. The registers are overwritten.
  void reduce(std::size_t statistic, const ReductionOperator& reduction,
              const std::vector<registers::VectorReg>& values) const;
  /// A parameter's elements for the columns of a lane tile, in every sublane.
  registers::VectorReg parameter(std::size_t number, std::size_t lane_tile) const;
  void write(const std::vector<registers::VectorReg>& values) const;

 private:
  friend class RowSweep;
  RowCode(builder::KernelBuilder& builder, const RowPass& pass, const RowShape& shape)
      : builder_(builder), pass_(pass), shape_(shape) {}

  builder::KernelBuilder& builder_;
  const RowPass& pass_;
  const RowShape& shape_;
  builder::LaneMasks masks_;
  registers::MaskReg continued_;  ///< no lanes in the first block of columns, all lanes in later ones
  registers::RowAddress source_, target_;
  std::vector<registers::RowAddress> statistics_, parameters_;
};

/// Writes a pass over rows of tiles that are in VMEM, for one block of columns.
class RowSweep {
 public:
  RowSweep(const RowPass& pass, const RowShape& shape) : pass_(pass), shape_(shape) {}
  /// `block` is the number of the block of columns.
  void write(builder::KernelBuilder& builder, std::int64_t row_tiles, registers::ScalarOperand block,
             const RowMemory& memory) const;
  /// The work for one row of tiles in one block of columns.
  hw::TilePhase row_work(const hw::Machine& machine, const RowKernel& kernel) const;

 private:
  RowCode prepare(builder::KernelBuilder& builder, registers::ScalarOperand block) const;
  void write_row(RowCode code, const RowMemory& memory, const builder::RowPosition& position) const;

  const RowPass& pass_;
  const RowShape& shape_;
};

}  // namespace podsim::sw::codegen::families::rows
