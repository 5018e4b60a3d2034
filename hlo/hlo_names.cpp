// SPDX-License-Identifier: Apache-2.0
#include "hlo/hlo_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace podsim::hlo {
namespace {

bool is_of_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

void rename(Computation& computation) {
  std::set<std::string, std::less<>> taken;
  std::map<std::string, int> numbers;  // the last one that was given to a name
  for (const Instruction& instruction : computation.instructions) taken.insert(instruction.name);
  for (Instruction& instruction : computation.instructions) {
    std::string name = instruction.name;
    std::ranges::replace_if(name, std::not_fn(is_of_a_name), '.');
    if (name == instruction.name) continue;
    std::string free = name;
    for (int& number = numbers[name]; !taken.insert(free).second;) free = fmt::format("{}.{}", name, ++number);
    if (instruction.opcode == Opcode::parameter) instruction.op_name = instruction.name;
    instruction.name = std::move(free);
  }
}

}  // namespace

Module with_hlo_names(Module module) {
  std::ranges::for_each(module.computations, rename);
  return module;
}

}  // namespace podsim::hlo
