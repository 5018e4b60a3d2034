// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/row_loop.h"

#include <algorithm>
#include <bit>

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

constexpr std::int64_t registers_per_iteration = 8;
constexpr std::int32_t tile_rows = 8, tile_lanes = 128;

}  // namespace

std::int64_t rows_per_iteration(std::int64_t registers_per_row, std::int64_t row_tiles) {
  const std::int64_t rows = std::max<std::int64_t>(1, registers_per_iteration / registers_per_row);
  const std::int64_t most = std::max<std::int64_t>(1, row_tiles);
  return std::int64_t(std::min(std::bit_floor(std::uint64_t(rows)), std::bit_ceil(std::uint64_t(most))));
}

ScalarOperand divide_round_up(KernelBuilder& builder, ScalarOperand n, std::int64_t power_of_two) {
  const std::int32_t divisor = std::int32_t(power_of_two);
  if (n.literal) return (n.value + divisor - 1) / divisor;
  if (divisor == 1) return n;
  const ScalarReg rounded = builder.op(Op::s_add, ScalarReg{n.value}, divisor - 1);
  return builder.op(Op::s_shr, rounded, std::countr_zero(std::uint32_t(divisor)));
}

void write_row_loop(KernelBuilder& builder, ScalarOperand row_tiles, std::int64_t unroll,
                    std::span<const RowStream> streams, const std::function<void(const RowPlace&)>& body) {
  RowPlace first{{}, builder.constant(0), 0};
  LoopOptions options{LoopSchedule::pipelined, {}};
  for (const RowStream& stream : streams) {
    first.at.push_back(stream.first);
    first.at.back().base = builder.op(Op::s_add, stream.first.base, 0);
    options.independent_buffers.push_back(stream.first.buffer);
  }
  builder.loop(divide_round_up(builder, row_tiles, unroll), options, [&] {
    for (int number = 0; number < unroll; ++number) {
      RowPlace place{first.at, first.iteration_row, number};
      for (std::size_t i = 0; i < streams.size(); ++i) place.at[i].offset += number * streams[i].pitch;
      body(place);
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
      builder.assign(first.at[i].base, Op::s_add, first.at[i].base, std::int32_t(unroll) * streams[i].pitch);
    }
    builder.assign(first.iteration_row, Op::s_add, first.iteration_row, std::int32_t(unroll));
  });
}

LaneResults::LaneResults(KernelBuilder& builder)
    : diagonal_(builder.op(Op::v_sub_s32, builder.lane_numbers(), builder.sublane_numbers())) {}

void LaneResults::store(KernelBuilder& builder, RowAddress first, const RowPlace& place, VectorReg value) const {
  const ScalarReg before = builder.op(Op::s_mul, place.iteration_row, tile_rows);
  const ScalarReg in_row = builder.op(Op::s_and, before, tile_lanes - 1);
  const ScalarReg lane = builder.op(Op::s_add, in_row, place.number * tile_rows);
  const MaskReg mask = builder.compare(Op::v_eq_s32, diagonal_, builder.splat(lane));
  const ScalarReg rows = builder.op(Op::s_shr, place.iteration_row, std::countr_zero(unsigned(tile_lanes / tile_rows)));
  first.base = builder.op(Op::s_add, first.base, rows);
  first.stride = 0;
  builder.store(first, value, mask);
}

}  // namespace podsim::sw
