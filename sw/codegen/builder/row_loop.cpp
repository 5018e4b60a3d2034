// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/row_loop.h"

#include <bit>

#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::builder {

using Op = hw::isa::Opcode;

void write_row_loop(KernelBuilder& builder, std::int64_t row_tiles, std::span<const RowStream> streams,
                    const std::function<void(const RowPosition&)>& body) {
  const RowPosition position = [&] {
    RowPosition first{{}, builder.constant(0)};
    for (const RowStream& stream : streams) {
      first.at.push_back(stream.first);
      first.at.back().base = builder.op(Op::s_add, stream.first.base, 0);
    }
    return first;
  }();
  registers::LoopOptions options{registers::LoopSchedule::pipelined, {}};
  for (const RowStream& stream : streams) options.independent_buffers.push_back(stream.first.buffer);
  builder.loop(std::int32_t(row_tiles), options, [&] {
    body(position);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      builder.assign(position.at[i].base, Op::s_add, position.at[i].base, streams[i].pitch);
    }
    builder.assign(position.row, Op::s_add, position.row, 1);
  });
}

LaneResults::LaneResults(KernelBuilder& builder)
    : diagonal_(builder.op(Op::v_sub_s32, builder.lane_numbers(), builder.sublane_numbers())) {}

void LaneResults::store(KernelBuilder& builder, registers::RowAddress first, const RowPosition& position,
                        registers::VectorReg value) const {
  const registers::ScalarReg before = builder.op(Op::s_mul, position.row, register_rows);
  const registers::ScalarReg lane = builder.op(Op::s_and, before, register_lanes - 1);
  const registers::MaskReg mask = builder.compare(Op::v_eq_s32, diagonal_, builder.splat(lane));
  const registers::ScalarReg rows =
      builder.op(Op::s_shr, position.row, std::countr_zero(unsigned(register_lanes / register_rows)));
  first.base = builder.op(Op::s_add, first.base, rows);
  first.stride = 0;
  builder.store(first, value, mask);
}

}  // namespace podsim::sw::codegen::builder
