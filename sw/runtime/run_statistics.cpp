// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/run_statistics.h"

namespace podsim::sw::runtime {

base::StatisticSet run_statistics(const RunResult& result, std::int64_t messages, std::int64_t hops) {
  hw::OpResult sum;
  for (const ItemResult& item : result.items) {
    const hw::OpResult& op = item.cost;
    sum.cycles += op.cycles * item.times;
    sum.compute += op.compute * item.times;
    sum.start_up += op.start_up * item.times;
    sum.read_wait += op.read_wait * item.times;
    sum.write_wait += op.write_wait * item.times;
    sum.control += op.control * item.times;
    sum.drain += op.drain * item.times;
    sum.mxu_busy += op.mxu_busy * item.times;
    sum.vector_busy += op.vector_busy * item.times;
    sum.cross_lane_busy += op.cross_lane_busy * item.times;
    sum.hbm_busy += op.hbm_busy * item.times;
    sum.read_bytes += op.read_bytes * item.times;
    sum.written_bytes += op.written_bytes * item.times;
    sum.tiles += op.tiles * item.times;
  }
  base::StatisticSet set;
  auto count = [&](const char* name, const char* unit, const char* description, std::int64_t value) {
    set.add(name, unit, description).add(value);
  };
  count("core.tiles", "tiles", "VMEM tiles of all ops of a step", sum.tiles);
  count("core.op_cycles", "cycles", "in ops; the next six add up to it", sum.cycles.value());
  count("core.compute", "cycles", "a phase of a tile runs", sum.compute.value());
  count("core.start_up", "cycles", "waiting for the first tile's reads", sum.start_up.value());
  count("core.read_wait", "cycles", "waiting for later tiles' reads", sum.read_wait.value());
  count("core.write_wait", "cycles", "waiting for a free output buffer or descriptor", sum.write_wait.value());
  count("core.control", "cycles", "scalar code between tiles", sum.control.value());
  count("core.drain", "cycles", "waiting for the last writes", sum.drain.value());
  count("core.mxu_busy", "cycles", "of all matrix units together, weight load and drain included",
        sum.mxu_busy.value());
  count("core.vector_busy", "cycles", "the vector unit works", sum.vector_busy.value());
  count("core.cross_lane_busy", "cycles", "the cross-lane unit works", sum.cross_lane_busy.value());
  count("core.hbm_busy", "cycles", "data moves on the core's HBM half", sum.hbm_busy.value());
  count("core.hbm_read", "bytes", "read by ops", sum.read_bytes.value());
  count("core.hbm_written", "bytes", "written by ops", sum.written_bytes.value());
  count("ici.messages", "messages", "delivered", messages);
  count("ici.hops", "links", "taken by all messages", hops);
  return set;
}

}  // namespace podsim::sw::runtime
