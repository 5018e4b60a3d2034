// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text/glob.h"
#include "hlo/spmd/propagate/class_search.h"

namespace podsim::sw::plans {
namespace {

using hlo::spmd::mesh::ShardingRule;
using hlo::spmd::propagate::ClassedArray;

const std::string& name_of(const hlo::Instruction& instruction) {
  return instruction.op_name.empty() ? instruction.name : instruction.op_name;
}

bool has_no_class(const ClassedArray& array) {
  return std::ranges::all_of(array.classes, [](int of_class) { return of_class < 0; });
}

}  // namespace

PlanFiles::PlanFiles(const hlo::Module& module, const hlo::spmd::propagate::ClassedProgram& program)
    : entry_(module.entry_computation()), program_(program) {
  std::map<std::string, std::size_t> by_glob;
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry_.instructions.size()); ++id) {
    if (!has_rule(id)) continue;
    std::string glob = base::text::glob_of_numbered(name_of(entry_[id]));
    const auto [at, is_new] = by_glob.try_emplace(glob, groups_.size());
    if (is_new) groups_.push_back({.glob = std::move(glob), .values = {}, .matched = {}});
    groups_[at->second].values.push_back(id);
  }
  for (Alike& alike : groups_) find_matched(alike);
}

bool PlanFiles::has_rule(hlo::InstructionId id) const {
  const ClassedArray& array = program_.entry[std::size_t(id)];
  if (has_no_class(array)) return false;
  if (entry_[id].opcode == hlo::Opcode::parameter) return true;
  return !array.kept && hlo::spmd::propagate::makes_classes(entry_[id].opcode);
}

void PlanFiles::find_matched(Alike& alike) const {
  const std::size_t rank = program_.entry[std::size_t(alike.values.front())].classes.size();
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry_.instructions.size()); ++id) {
    const hlo::Instruction& value = entry_[id];
    const bool by_name = base::text::glob_match(alike.glob, value.name);
    if (!by_name && (value.shape.is_tuple() || !base::text::glob_match(alike.glob, value.op_name))) continue;
    const ClassedArray& array = program_.entry[std::size_t(id)];
    if (array.classes.size() < rank) {
      alike.matches_less = alike.matches_less || by_name;
    } else if (!has_no_class(array)) {
      alike.matched.push_back(id);
    }
  }
}

/// True if all to which a rule of the glob applies are divided as the first of its values.
bool PlanFiles::is_one_rule(const ShardingPlan& plan, const Alike& alike) const {
  if (alike.matches_less) return false;
  const std::vector<AxisSet> wanted = divided(plan, program_.entry[std::size_t(alike.values.front())]);
  return std::ranges::all_of(
      alike.matched, [&](hlo::InstructionId id) { return divided(plan, program_.entry[std::size_t(id)]) == wanted; });
}

ShardingRule PlanFiles::rule(const ShardingPlan& plan, std::string pattern, hlo::InstructionId id) const {
  const hlo::spmd::mesh::Mesh mesh = plan.mesh();
  ShardingRule made;
  made.pattern = std::move(pattern);
  for (const AxisSet set : divided(plan, program_.entry[std::size_t(id)])) {
    std::string axes;
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
      if ((set >> axis & 1) != 0) axes += (axes.empty() ? "" : "+") + mesh.axes()[axis].name;
    }
    made.dimensions.push_back(std::move(axes));
  }
  return made;
}

hlo::spmd::mesh::ShardingFile PlanFiles::file(const ShardingPlan& plan) const {
  std::vector<ShardingRule> rules, globs;
  for (const Alike& alike : groups_) {
    if (is_one_rule(plan, alike)) {
      globs.push_back(rule(plan, alike.glob, alike.values.front()));
    } else if (!alike.glob.starts_with("gradients/")) {
      for (const hlo::InstructionId id : alike.values) rules.push_back(rule(plan, entry_[id].name, id));
    }
  }
  rules.insert(rules.end(), globs.begin(), globs.end());
  return {.mesh = plan.mesh(), .rules = std::move(rules)};
}

std::string class_name(const hlo::Module& module, const hlo::spmd::propagate::DimensionClass& of) {
  const hlo::spmd::propagate::EntryDimension& first = of.of.front();
  return fmt::format("{}[{}]", base::text::glob_of_numbered(name_of(module.entry_computation()[first.id])),
                     first.dimension);
}

}  // namespace podsim::sw::plans
