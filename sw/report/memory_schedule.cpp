// SPDX-License-Identifier: Apache-2.0
#include "sw/report/memory_schedule.h"

#include <fmt/format.h>

#include "base/csv_field.h"

namespace podsim::sw {

std::string memory_schedule_csv(const MemoryAccount& memory) {
  std::string text = "position,instruction,op_name,live_bytes\n";
  for (std::size_t position = 0; position < memory.schedule.size(); ++position) {
    const MemoryAccount::Moment& moment = memory.schedule[position];
    text += fmt::format("{},{},{},{}\n", position, base::csv_field(moment.name), base::csv_field(moment.op_name),
                        moment.live.value());
  }
  return text;
}

}  // namespace podsim::sw
