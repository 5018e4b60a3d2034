// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/register_renaming.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace podsim::sw {

using hw::isa::Opcode;
using hw::isa::SlotKind;

void rename_values(std::vector<Operation>& operations, const RegisterSet& kept, RegisterSource& registers) {
  std::unordered_map<int, int> overwrites_left;
  for (const Operation& operation : operations) {
    if (overwrites(operation)) ++overwrites_left[written_register(operation)->number()];
  }
  std::unordered_map<int, Register> names;
  const auto name_of = [&](Register reg) {
    auto found = names.find(reg.number());
    return found == names.end() ? reg : found->second;
  };
  std::unordered_set<int> seen;  // whose own name is taken
  for (Operation& operation : operations) {
    const auto written = written_register(operation);
    const bool anew = overwrites(operation) && operation.opcode != Opcode::s_loop;
    for_each_register(operation, [&](Register& reg) {
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

void drop_needless(std::vector<Operation>& operations, const RegisterSet& kept) {
  std::unordered_set<int> read;
  std::vector<Operation> needed;
  for (auto operation = operations.rbegin(); operation != operations.rend(); ++operation) {
    const auto written = written_register(*operation);
    const bool pure = operation->info().slot == SlotKind::scalar && written && operation->opcode != Opcode::s_loop;
    if (pure && !kept.contains(*written) && !read.contains(written->number())) continue;
    if (overwrites(*operation)) read.erase(written->number());
    for (Register reg : RegisterReads(*operation)) read.insert(reg.number());
    needed.push_back(*operation);
  }
  std::reverse(needed.begin(), needed.end());
  operations = std::move(needed);
}

}  // namespace podsim::sw
