// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/run_statistics.h"

namespace podsim::sw::runtime {

base::StatisticSet run_statistics(const RunResult& result, std::int64_t messages, std::int64_t hops) {
  hw::OpResult sum;
  for (const ItemResult& item : result.items) {
    hw::OpResult::for_each_count([&](auto& total, const auto& of_one) { total += item.times * of_one; }, sum,
                                 item.cost);
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
  hw::CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    if (Unit::names.busy != nullptr) {
      const std::string name = std::string("core.") + Unit::names.name + "_busy";
      count(name.c_str(), "cycles", Unit::names.busy, sum.busy.of<Unit>().value());
    }
  });
  count("core.hbm_busy", "cycles", "data moves on the core's HBM half", sum.hbm_busy.value());
  count("core.hbm_read", "bytes", "read by ops", sum.read_bytes.value());
  count("core.hbm_written", "bytes", "written by ops", sum.written_bytes.value());
  count("ici.messages", "messages", "delivered", messages);
  count("ici.hops", "links", "taken by all messages", hops);
  return set;
}

}  // namespace podsim::sw::runtime
