// SPDX-License-Identifier: Apache-2.0
#include "report/run/memory_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/csv_field.h"

namespace podsim::report::run {

std::string memory_schedule_csv(const sw::compiler::MemoryAccount& memory) {
  std::string text = "position,instruction,op_name,live_bytes,places\n";
  for (std::size_t position = 0; position < memory.schedule.size(); ++position) {
    const sw::compiler::MemoryAccount::Moment& moment = memory.schedule[position];
    std::vector<std::string> places;
    for (const sw::compiler::MemoryAccount::Place& place : moment.places) {
      places.push_back(fmt::format("{}+{}@{}..{}", place.offset.value(), place.bytes.value(), place.first, place.last));
    }
    text += fmt::format("{},{},{},{},{}\n", position, base::text::csv_field(moment.name),
                        base::text::csv_field(moment.op_name), moment.live.value(), fmt::join(places, " "));
  }
  return text;
}

}  // namespace podsim::report::run
