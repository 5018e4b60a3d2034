// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/rows/row_code.h"

#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::families::rows {

using Op = hw::isa::Opcode;

namespace {

hlo::ElementType type_of(const KernelArray& array) { return array.shape.element_type; }

/// Returns the streams of a row loop, in the order in which RowSweep::write_row reads them.
std::vector<builder::RowStream> streams_of(const RowMemory& memory, bool writes) {
  std::vector<builder::RowStream> streams{memory.source};
  if (writes) streams.push_back(memory.target);
  streams.insert(streams.end(), memory.statistics.begin(), memory.statistics.end());
  return streams;
}

}  // namespace

RowShape::RowShape(const hlo::Shape& matrix)
    : row_tiles(base::divide_round_up(matrix.dimensions[0], builder::register_rows)),
      columns(builder::column_blocks(matrix.dimensions[1])) {}

std::vector<registers::VectorReg> RowCode::row() const {
  return builder::load_row(builder_, type_of(pass_.source), source_, shape_.columns.block);
}

registers::VectorReg RowCode::statistic(std::size_t number) const { return builder_.load(statistics_[number]); }

void RowCode::reduce(std::size_t statistic, const ReductionOperator& reduction,
                     const std::vector<registers::VectorReg>& values) const {
  const registers::VectorReg folded = builder::fold_row(builder_, reduction.fold, reduction.neutral, values, masks_);
  registers::VectorReg result = builder_.cross_lane(reduction.over_lanes, folded);
  if (shape_.columns.count() > 1) {
    const registers::VectorReg before = builder_.unary(Op::v_mov, reduction.neutral);
    builder_.assign(before, Op::v_mov, {}, builder_.load(statistics_[statistic]), continued_);
    result = builder_.op(reduction.fold, before, result);
  }
  builder_.store(statistics_[statistic], result);
}

registers::VectorReg RowCode::parameter(std::size_t number, std::size_t lane_tile) const {
  registers::RowAddress address = parameters_[number];
  address.offset += std::int32_t(lane_tile);
  address.stride = 0;
  return builder_.load(address);
}

void RowCode::write(const std::vector<registers::VectorReg>& values) const {
  builder::store_row(builder_, type_of(*pass_.target), target_, values);
}

void RowSweep::write(builder::KernelBuilder& builder, std::int64_t row_tiles, registers::ScalarOperand block,
                     const RowMemory& memory) const {
  const RowCode code = prepare(builder, block);
  const std::vector<builder::RowStream> streams = streams_of(memory, pass_.target.has_value());
  builder::write_row_loop(builder, row_tiles, streams,
                          [&](const builder::RowPosition& position) { write_row(code, memory, position); });
}

hw::TilePhase RowSweep::row_work(const hw::Machine& machine, const RowKernel& kernel) const {
  RowMemory memory;
  memory.statistics.resize(std::size_t(kernel.statistics));
  memory.parameters.resize(kernel.parameters.size());
  return builder::repeated_work(machine, [&](builder::KernelBuilder& builder, std::int64_t repeats) {
    const RowCode code = prepare(builder, builder.constant(0));
    builder::RowPosition position{{}, builder.constant(0)};
    for (const builder::RowStream& stream : streams_of(memory, pass_.target.has_value()))
      position.at.push_back(stream.first);
    for (std::int64_t i = 0; i < repeats; ++i) write_row(code, memory, position);
  });
}

RowCode RowSweep::prepare(builder::KernelBuilder& builder, registers::ScalarOperand block) const {
  RowCode code(builder, pass_, shape_);
  const bool blocks = shape_.columns.count() > 1;
  code.masks_ = builder::lane_masks(builder, shape_.columns, blocks ? block : registers::ScalarOperand(0));
  if (blocks) {
    code.continued_ = builder.mask();
    builder.assign_splat(code.continued_, block);
  }
  return code;
}

void RowSweep::write_row(RowCode code, const RowMemory& memory, const builder::RowPosition& position) const {
  std::size_t next = 0;
  code.source_ = position.at[next++];
  if (pass_.target) code.target_ = position.at[next++];
  code.statistics_.assign(position.at.begin() + std::ptrdiff_t(next), position.at.end());
  code.parameters_ = memory.parameters;
  pass_.code(code);
}

}  // namespace podsim::sw::codegen::families::rows
