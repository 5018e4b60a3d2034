// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/chip_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/diagnostic.h"
#include "base/text/glob.h"

namespace podsim::sw::runtime {
namespace {

bool is_op(const compiler::ProgramItem& item) {
  return item.kind == compiler::ProgramItem::Kind::op && item.phase == hlo::AsyncPhase::none;
}

bool matches(const std::string& pattern, const compiler::ProgramItem& item) {
  return is_op(item) &&
         (base::text::glob_match(pattern, item.op_name) || base::text::glob_match(pattern, item.hlo_name));
}

std::string hint_for(const compiler::Program& program, const std::string& pattern) {
  std::vector<std::string> names;
  for (const compiler::ProgramItem& item : program.items) {
    if (is_op(item)) names.push_back(item.op_name.empty() ? item.hlo_name : item.op_name);
  }
  if (names.empty()) return "the program has no ops";
  const std::string near = base::did_you_mean(pattern, names);
  return near.empty() ? fmt::format("ops have names such as '{}'; '*' stands for any characters", names.front()) : near;
}

}  // namespace

ChipParts::ChipParts(const compiler::Program& program, const std::vector<std::string>& patterns)
    : program_(program), chosen_(program.items.size()) {
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    const auto names_it = [&](const std::string& pattern) { return matches(pattern, program.items[i]); };
    chosen_[i] = patterns.empty() ? is_op(program.items[i]) : std::ranges::any_of(patterns, names_it);
  }
}

void ChipParts::check(const compiler::Program& program, const std::string& pattern) {
  const auto matched = [&](const compiler::ProgramItem& item) { return matches(pattern, item); };
  if (std::ranges::any_of(program.items, matched)) return;
  throw base::InputError(fmt::format("'{}' matches no op", pattern), hint_for(program, pattern));
}

const hw::OpResult* ChipParts::known(int core, int op) const {
  const auto found = known_.find({core, op});
  return found == known_.end() ? nullptr : &found->second;
}

PartsResult ChipParts::result(const std::vector<ItemResult>& items,
                              const std::function<base::Time(int op)>& streams) const {
  std::vector<PartsResult::Op> sums(program_.ops.size());
  for (const ItemResult& item : items) {
    if (!chosen(item.item)) continue;
    const int index = program_.items[std::size_t(item.item)].index;
    PartsResult::Op& sum = sums[std::size_t(index)];
    if (sum.count == 0) sum.item = item.item;
    sum.count += item.times;
    sum.streams += streams(index) * item.times;
    sum.parts += item.total();
  }
  PartsResult result;
  std::ranges::copy_if(sums, std::back_inserter(result.ops), [](const PartsResult::Op& op) { return op.count > 0; });
  std::ranges::stable_sort(result.ops, std::ranges::greater{},
                           [](const PartsResult::Op& op) { return std::abs((op.parts - op.streams).value()); });
  return result;
}

}  // namespace podsim::sw::runtime
