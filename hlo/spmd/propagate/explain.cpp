// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/propagate/propagation.h.
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/text/glob.h"
#include "hlo/spmd/propagate/propagation.h"

namespace podsim::hlo::spmd::propagate {
namespace {

class Explanation {
 public:
  Explanation(const hlo::Module& module, const mesh::Mesh& mesh, const ModuleShardings& shardings)
      : module_(module), mesh_(mesh), shardings_(shardings) {}

  std::string of(hlo::InstructionId id) const {
    const hlo::Instruction& instruction = module_.entry_computation()[id];
    const mesh::ValueSharding& value = shardings_.values[std::size_t(module_.entry)][std::size_t(id)];
    const std::vector<const hlo::Shape*> shapes = mesh::leaf_shapes(instruction.shape);
    std::string text;
    for (int k = 0; k < int(shapes.size()); ++k) {
      const mesh::AxisSharding& sharding = value[std::size_t(k)];
      const hlo::Shape& shape = *shapes[std::size_t(k)];
      const std::string from = instruction.op_name.empty() ? std::string() : fmt::format("  ({})", instruction.op_name);
      text += fmt::format("{} {}: {}, shards {}{}\n", name(module_.entry, id, k), without_layout(shape),
                          mesh::to_string(mesh_, sharding), without_layout(mesh::local_shape(mesh_, shape, sharding)),
                          from);
      text += reasons(id, k, sharding);
    }
    return text;
  }

 private:
  static std::string without_layout(const hlo::Shape& shape) {
    return hlo::to_string(hlo::make_shape(shape.element_type, shape.dimensions));
  }

  const ArrayReasons& reasons_of(hlo::ComputationId c, hlo::InstructionId id, int array) const {
    return shardings_.reasons[std::size_t(c)][std::size_t(id)][std::size_t(array)];
  }

  /// "%dot.3"; "%while{2}" for an array of a tuple; "body/%dot.3" outside of the entry.
  std::string name(hlo::ComputationId c, hlo::InstructionId id, int array) const {
    const hlo::Computation& computation = module_.computations[std::size_t(c)];
    std::string text = c == module_.entry ? "" : computation.name + "/";
    text += "%" + computation[id].name;
    if (computation[id].shape.is_tuple()) text += fmt::format("{{{}}}", array);
    return text;
  }

  std::string reasons(hlo::InstructionId id, int array, const mesh::AxisSharding& sharding) const {
    const ArrayReasons& list = reasons_of(module_.entry, id, array);
    if (sharding.manual) return "  manual: " + chain(module_.entry, id, array, 0) + "\n";
    std::string text;
    bool is_annotated = false;
    for (int d = 0; d < int(list.size()); ++d) {
      const mesh::SubAxes& sub_axes = sharding.dimensions[std::size_t(d)];
      is_annotated = is_annotated || list[std::size_t(d)].kind == ShardingReason::Kind::annotation;
      if (sub_axes.empty()) continue;
      text +=
          fmt::format("  dimension {} over {}: {}\n", d, mesh_.to_string(sub_axes), chain(module_.entry, id, array, d));
    }
    if (!text.empty()) return text;
    return is_annotated ? "  whole: annotated\n" : "  whole: no annotation reaches it\n";
  }

  /// "operand %a dimension 1, user %b dimension 0, annotated": each sharding was taken from the next value.
  std::string chain(hlo::ComputationId c, hlo::InstructionId id, int array, int dimension) const {
    std::string text;
    std::set<std::tuple<hlo::ComputationId, hlo::InstructionId, int, int>> seen;
    while (seen.insert({c, id, array, dimension}).second) {
      const ShardingReason& reason = reasons_of(c, id, array)[std::size_t(dimension)];
      switch (reason.kind) {
        case ShardingReason::Kind::none:
          return text + "by itself";
        case ShardingReason::Kind::annotation:
          if (reason.computation == c && reason.from == id) return text + "annotated";
          return text + "as " + name(reason.computation, reason.from, reason.array) + ", annotated";
        case ShardingReason::Kind::operand:
          text += "operand ";
          break;
        case ShardingReason::Kind::user:
          text += "user ";
          break;
        case ShardingReason::Kind::beside:
          text += fmt::format("in {} beside ", name(reason.computation, reason.op, 0));
          break;
        case ShardingReason::Kind::agreement:
          text += "as ";
          break;
      }
      text += name(reason.computation, reason.from, reason.array);
      c = reason.computation, id = reason.from, array = reason.array, dimension = reason.dimension;
      const ArrayReasons& next = reasons_of(c, id, array);
      if (dimension >= int(next.size())) return text;
      text += next.size() > 1 ? fmt::format(" dimension {}, ", dimension) : ", ";
    }
    return text + "...";
  }

  const hlo::Module& module_;
  const mesh::Mesh& mesh_;
  const ModuleShardings& shardings_;
};

}  // namespace

std::string explain(const hlo::Module& module, const mesh::Mesh& mesh, const ModuleShardings& shardings,
                    std::string_view pattern) {
  const hlo::Computation& entry = module.entry_computation();
  const Explanation explanation(module, mesh, shardings);
  std::string text;
  bool matched = false;
  std::vector<std::string> names;
  for (hlo::InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
    const hlo::Instruction& instruction = entry[id];
    names.push_back(instruction.name);
    if (!instruction.op_name.empty()) names.push_back(instruction.op_name);
    const bool matches =
        base::text::glob_match(pattern, instruction.name) || base::text::glob_match(pattern, instruction.op_name);
    if (matches) text += explanation.of(id);
    matched = matched || matches;
  }
  if (matched) return text;
  throw base::InputError(fmt::format("'{}' matches no value of the program", pattern),
                         base::did_you_mean(pattern, names));
}

}  // namespace podsim::hlo::spmd::propagate
