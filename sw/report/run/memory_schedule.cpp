// SPDX-License-Identifier: Apache-2.0
#include "sw/report/run/memory_schedule.h"

#include <fmt/format.h>

#include "base/text/csv_field.h"

namespace podsim::sw::report::run {

std::string memory_schedule_csv(const compiler::MemoryAccount& memory) {
  std::string text = "position,instruction,op_name,live_bytes\n";
  for (std::size_t position = 0; position < memory.schedule.size(); ++position) {
    const compiler::MemoryAccount::Moment& moment = memory.schedule[position];
    text += fmt::format("{},{},{},{}\n", position, base::text::csv_field(moment.name),
                        base::text::csv_field(moment.op_name), moment.live.value());
  }
  return text;
}

}  // namespace podsim::sw::report::run
