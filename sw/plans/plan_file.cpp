// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "base/text/glob.h"
#include "hlo/spmd/propagate/class_search.h"

namespace podsim::sw::plans {
namespace {

using hlo::spmd::mesh::ShardingRule;
using hlo::spmd::propagate::ClassedArray;

/// "layer*/ffn/w_in": a name with a star for each number in it.
std::string starred(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(letter)) != 0;
    if (!digit) {
      text += letter;
    } else if (text.empty() || text.back() != '*') {
      text += '*';
    }
  }
  return text;
}

const std::string& name_of(const hlo::Instruction& instruction) {
  return instruction.op_name.empty() ? instruction.name : instruction.op_name;
}

class PlanRules {
 public:
  PlanRules(const ShardingPlan& plan, const hlo::Module& module, const hlo::spmd::propagate::ClassedProgram& program)
      : plan_(plan), mesh_(plan.mesh()), entry_(module.entry_computation()), program_(program) {}

  hlo::spmd::mesh::ShardingFile file() && {
    std::vector<std::string> order;  // of the globs
    std::map<std::string, std::vector<hlo::InstructionId>> by_glob;
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry_.instructions.size()); ++id) {
      if (!has_rule(id)) continue;
      std::string glob = starred(name_of(entry_[id]));
      std::vector<hlo::InstructionId>& alike = by_glob[glob];
      if (alike.empty()) order.push_back(std::move(glob));
      alike.push_back(id);
    }
    std::vector<ShardingRule> globs;
    for (std::string& glob : order) {
      const std::vector<hlo::InstructionId>& alike = by_glob[glob];
      if (is_one_rule(glob, alike)) {
        globs.push_back(rule(std::move(glob), alike.front()));
      } else if (!glob.starts_with("gradients/")) {
        for (const hlo::InstructionId id : alike) rules_.push_back(rule(entry_[id].name, id));
      }
    }
    rules_.insert(rules_.end(), globs.begin(), globs.end());
    return {.mesh = mesh_, .rules = std::move(rules_)};
  }

 private:
  bool has_rule(hlo::InstructionId id) const {
    const ClassedArray& array = program_.entry[std::size_t(id)];
    const bool has_class = std::ranges::any_of(array.classes, [](int of_class) { return of_class >= 0; });
    if (entry_[id].opcode == hlo::Opcode::parameter) return has_class;
    return has_class && !array.kept && hlo::spmd::propagate::makes_classes(entry_[id].opcode);
  }

  /// True if all that a glob matches, and a rule with so many dimensions applies to, are divided as the first of these.
  bool is_one_rule(const std::string& glob, const std::vector<hlo::InstructionId>& alike) const {
    const std::vector<AxisSet> wanted = divided(plan_, program_.entry[std::size_t(alike.front())]);
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry_.instructions.size()); ++id) {
      const hlo::Instruction& value = entry_[id];
      const bool by_name = base::text::glob_match(glob, value.name);
      if (!by_name && (value.shape.is_tuple() || !base::text::glob_match(glob, value.op_name))) continue;
      const ClassedArray& array = program_.entry[std::size_t(id)];
      if (array.classes.size() < wanted.size()) {
        if (by_name) return false;
      } else if (!has_no_class(array) && divided(plan_, array) != wanted) {
        return false;
      }
    }
    return true;
  }

  static bool has_no_class(const ClassedArray& array) {
    return std::ranges::all_of(array.classes, [](int of_class) { return of_class < 0; });
  }

  ShardingRule rule(std::string pattern, hlo::InstructionId id) const {
    ShardingRule made;
    made.pattern = std::move(pattern);
    for (const AxisSet set : divided(plan_, program_.entry[std::size_t(id)])) {
      std::string axes;
      for (std::size_t axis = 0; axis < plan_.axes.size(); ++axis) {
        if ((set >> axis & 1) != 0) axes += (axes.empty() ? "" : "+") + mesh_.axes()[axis].name;
      }
      made.dimensions.push_back(std::move(axes));
    }
    return made;
  }

  const ShardingPlan& plan_;
  hlo::spmd::mesh::Mesh mesh_;
  const hlo::Computation& entry_;
  const hlo::spmd::propagate::ClassedProgram& program_;
  std::vector<ShardingRule> rules_;
};

}  // namespace

hlo::spmd::mesh::ShardingFile sharding_file(const ShardingPlan& plan, const hlo::Module& module,
                                            const hlo::spmd::propagate::ClassedProgram& program) {
  return PlanRules(plan, module, program).file();
}

std::string class_name(const hlo::Module& module, const hlo::spmd::propagate::DimensionClass& of) {
  const hlo::spmd::propagate::EntryDimension& first = of.of.front();
  return fmt::format("{}[{}]", starred(name_of(module.entry_computation()[first.id])), first.dimension);
}

}  // namespace podsim::sw::plans
