// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/register_renaming.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;
using hw::isa::SlotKind;

void rename_values(std::vector<registers::Operation>& operations, const registers::RegisterSet& kept,
                   RegisterSource& registers) {
  std::unordered_map<int, int> overwrites_left;
  for (const registers::Operation& operation : operations) {
    if (registers::overwrites(operation)) ++overwrites_left[registers::written_register(operation)->number()];
  }
  std::unordered_map<int, registers::Register> names;
  const auto name_of = [&](registers::Register reg) {
    auto found = names.find(reg.number());
    return found == names.end() ? reg : found->second;
  };
  std::unordered_set<int> seen;  // registers that already hold a value under their original name
  for (registers::Operation& operation : operations) {
    const auto written = registers::written_register(operation);
    const bool anew = registers::overwrites(operation) && operation.opcode != hw::isa::Opcode::s_loop;
    for_each_register(operation, [&](registers::Register& reg) {
      const bool is_destination = anew && &reg == &operation.destination;
      if (is_destination) return;
      seen.insert(reg.number());
      reg = name_of(reg);
    });
    if (!anew) continue;
    const int number = written->number();
    const bool last = --overwrites_left[number] == 0;
    const bool own = kept.contains(number) ? last : seen.insert(number).second;
    if (own) {
      names.erase(number);
    } else {
      names[number] = registers.make(written->cls());
    }
    operation.destination = name_of(*written);
  }
}

void drop_needless(std::vector<registers::Operation>& operations, const registers::RegisterSet& kept) {
  std::unordered_set<int> read;
  std::vector<registers::Operation> needed;
  for (auto operation = operations.rbegin(); operation != operations.rend(); ++operation) {
    const auto written = registers::written_register(*operation);
    const bool pure = operation->info().slot == hw::isa::SlotKind::scalar && written &&
                      operation->opcode != hw::isa::Opcode::s_loop && !registers::is_pop(*operation);
    if (pure && !kept.contains(*written) && !read.contains(written->number())) continue;
    if (registers::overwrites(*operation)) read.erase(written->number());
    for (registers::Register reg : registers::RegisterReads(*operation)) read.insert(reg.number());
    needed.push_back(*operation);
  }
  std::reverse(needed.begin(), needed.end());
  operations = std::move(needed);
}

}  // namespace podsim::sw::codegen::schedule
