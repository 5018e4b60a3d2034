// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/row_code.h"

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

constexpr std::int64_t rows_per_tile = 8;

ElementType type_of(const KernelArray& array) { return array.shape.element_type; }

/// The streams of a row loop in the order in which RowSweep takes them apart again.
std::vector<RowStream> streams_of(const RowMemory& memory, bool writes) {
  std::vector<RowStream> streams{memory.source};
  if (writes) streams.push_back(memory.target);
  streams.insert(streams.end(), memory.statistics.begin(), memory.statistics.end());
  return streams;
}

}  // namespace

RowShape::RowShape(const Shape& matrix)
    : row_tiles(base::divide_round_up(matrix.dimensions[0], rows_per_tile)),
      columns(column_blocks(matrix.dimensions[1])) {}

std::vector<VectorReg> RowCode::row() const {
  return load_row(builder_, type_of(pass_.source), source_, shape_.columns.block);
}

VectorReg RowCode::statistic(std::size_t number) const { return builder_.load(statistics_[number]); }

void RowCode::reduce(std::size_t statistic, const ReductionOperator& reduction,
                     const std::vector<VectorReg>& values) const {
  const VectorReg folded = fold_row(builder_, reduction.fold, reduction.neutral, values, masks_);
  VectorReg result = builder_.cross_lane(reduction.over_lanes, folded);
  if (shape_.columns.count() > 1) {
    const VectorReg before = builder_.unary(Op::v_mov, reduction.neutral);
    builder_.assign(before, Op::v_mov, {}, builder_.load(statistics_[statistic]), continued_);
    result = builder_.op(reduction.fold, before, result);
  }
  builder_.store(statistics_[statistic], result);
}

VectorReg RowCode::parameter(std::size_t number, std::size_t lane_tile) const {
  RowAddress address = parameters_[number];
  address.offset += std::int32_t(lane_tile);
  address.stride = 0;
  return builder_.load(address);
}

void RowCode::write(const std::vector<VectorReg>& values) const {
  store_row(builder_, type_of(*pass_.target), target_, values);
}

void RowSweep::write(KernelBuilder& builder, std::int64_t row_tiles, ScalarOperand block,
                     const RowMemory& memory) const {
  const RowCode code = prepare(builder, block);
  const std::vector<RowStream> streams = streams_of(memory, pass_.target.has_value());
  write_row_loop(builder, row_tiles, streams, [&](const RowPlace& place) { write_row(code, memory, place); });
}

hw::TilePhase RowSweep::row_work(const hw::Machine& machine, const RowKernel& kernel) const {
  RowMemory memory;
  memory.statistics.resize(std::size_t(kernel.statistics));
  memory.parameters.resize(kernel.parameters.size());
  return repeated_work(machine, [&](KernelBuilder& builder, std::int64_t repeats) {
    const RowCode code = prepare(builder, builder.constant(0));
    RowPlace place{{}, builder.constant(0)};
    for (const RowStream& stream : streams_of(memory, pass_.target.has_value())) place.at.push_back(stream.first);
    for (std::int64_t i = 0; i < repeats; ++i) write_row(code, memory, place);
  });
}

RowCode RowSweep::prepare(KernelBuilder& builder, ScalarOperand block) const {
  RowCode code(builder, pass_, shape_);
  const bool blocks = shape_.columns.count() > 1;
  code.masks_ = lane_masks(builder, shape_.columns, blocks ? block : ScalarOperand(0));
  if (blocks) {
    code.continued_ = builder.mask();
    builder.assign_splat(code.continued_, block);
  }
  return code;
}

void RowSweep::write_row(RowCode code, const RowMemory& memory, const RowPlace& place) const {
  std::size_t next = 0;
  code.source_ = place.at[next++];
  if (pass_.target) code.target_ = place.at[next++];
  code.statistics_.assign(place.at.begin() + std::ptrdiff_t(next), place.at.end());
  code.parameters_ = memory.parameters;
  pass_.code(code);
}

}  // namespace podsim::sw
