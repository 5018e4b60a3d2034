// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/row_loop.h"

#include <bit>

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

constexpr std::int32_t tile_rows = 8, tile_lanes = 128;

}  // namespace

void write_row_loop(KernelBuilder& builder, std::int64_t row_tiles, std::span<const RowStream> streams,
                    const std::function<void(const RowPlace&)>& body) {
  const RowPlace place = [&] {
    RowPlace first{{}, builder.constant(0)};
    for (const RowStream& stream : streams) {
      first.at.push_back(stream.first);
      first.at.back().base = builder.op(Op::s_add, stream.first.base, 0);
    }
    return first;
  }();
  LoopOptions options{LoopSchedule::pipelined, {}};
  for (const RowStream& stream : streams) options.independent_buffers.push_back(stream.first.buffer);
  builder.loop(std::int32_t(row_tiles), options, [&] {
    body(place);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      builder.assign(place.at[i].base, Op::s_add, place.at[i].base, streams[i].pitch);
    }
    builder.assign(place.row, Op::s_add, place.row, 1);
  });
}

LaneResults::LaneResults(KernelBuilder& builder)
    : diagonal_(builder.op(Op::v_sub_s32, builder.lane_numbers(), builder.sublane_numbers())) {}

void LaneResults::store(KernelBuilder& builder, RowAddress first, const RowPlace& place, VectorReg value) const {
  const ScalarReg before = builder.op(Op::s_mul, place.row, tile_rows);
  const ScalarReg lane = builder.op(Op::s_and, before, tile_lanes - 1);
  const MaskReg mask = builder.compare(Op::v_eq_s32, diagonal_, builder.splat(lane));
  const ScalarReg rows = builder.op(Op::s_shr, place.row, std::countr_zero(unsigned(tile_lanes / tile_rows)));
  first.base = builder.op(Op::s_add, first.base, rows);
  first.stride = 0;
  builder.store(first, value, mask);
}

}  // namespace podsim::sw
