// SPDX-License-Identifier: Apache-2.0
#include "app/run/files/unused_shardings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "app/run/files/module_file.h"
#include "hlo/text/graph/manual_computations.h"

namespace podsim::app::run::files {

namespace {

/// Counts what is not used by kind, and remembers where the first of each is.
class Kinds {
 public:
  explicit Kinds(const hlo::text::Module& text) : text_(text) {}

  void add(const std::string& message, std::string_view place) {
    const auto [known, added] = at_.try_emplace(message, kinds_.size());
    if (added) kinds_.push_back({message, place, 0});
    ++kinds_[known->second].count;
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> all;
    for (const Kind& kind : kinds_) {
      const std::string others = kind.count > 1 ? fmt::format(", and {} more like it", kind.count - 1) : "";
      all.push_back(warning_at(text_, kind.place, kind.message + others));
    }
    return all;
  }

 private:
  struct Kind {
    std::string message;
    std::string_view place;
    std::size_t count = 0;
  };

  const hlo::text::Module& text_;
  std::vector<Kind> kinds_;
  std::map<std::string, std::size_t> at_;
};

/// The names of attributes of Shardy in a list of frontend attributes, with the text after each.
std::vector<std::pair<std::string_view, std::string_view>> shardy_attributes(std::string_view attributes) {
  constexpr std::string_view prefix = "xla.sdy.";
  std::vector<std::pair<std::string_view, std::string_view>> found;
  for (std::size_t at = attributes.find(prefix); at != std::string_view::npos; at = attributes.find(prefix, at + 1)) {
    const std::size_t end = attributes.find('=', at);
    if (end == std::string_view::npos) break;
    if (at > 0 && attributes[at - 1] != '{' && attributes[at - 1] != ',' && attributes[at - 1] != ' ') continue;
    const std::string_view rest = attributes.substr(end);
    found.emplace_back(attributes.substr(at, end - at), rest.substr(0, rest.find(",xla.sdy.")));
  }
  return found;
}

/// True if a dimension of a sharding has a priority, "}p1".
bool has_priority(std::string_view sharding) {
  for (std::size_t at = sharding.find("}p"); at != std::string_view::npos; at = sharding.find("}p", at + 1)) {
    if (at + 2 < sharding.size() && sharding[at + 2] >= '0' && sharding[at + 2] <= '9') return true;
  }
  return false;
}

/// True for the attributes of the custom calls that begin and end a manual computation.
bool is_of_manual_computation(std::string_view name) {
  return name == "xla.sdy.in_shardings" || name == "xla.sdy.out_shardings" || name == "xla.sdy.manual_axes";
}

void add_shardy(std::string_view attributes, std::string_view target, Kinds& kinds) {
  const bool is_manual = target == hlo::text::graph::to_local_target || target == hlo::text::graph::to_global_target;
  for (const auto& [name, value] : shardy_attributes(attributes)) {
    // xla.sdy.import_mhlo_shardings says to take the attribute `sharding`, which is always taken.
    if (name == "xla.sdy.meshes" || name == "xla.sdy.import_mhlo_shardings") continue;
    if (is_manual && is_of_manual_computation(name)) continue;
    if (name == "xla.sdy.sharding_rule") {
      kinds.add("the operation's own rule, xla.sdy.sharding_rule, is not used: it counts as an operation without one",
                name);
    } else if (name != "xla.sdy.sharding") {
      kinds.add(fmt::format("the attribute '{}' is not used", name), name);
    } else {
      if (has_priority(value)) kinds.add("priorities of shardings are not used", name);
      if (value.find("unreduced=") != std::string_view::npos) {
        kinds.add("unreduced axes of a sharding are not used", name);
      }
      if (value.find(", ?}") != std::string_view::npos) {
        kinds.add("a dimension that may take more axes ('?') keeps those that are named", name);
      }
    }
  }
}

void add_sharding(std::string_view sharding, Kinds& kinds) {
  const auto contains = [&](std::string_view part) { return sharding.find(part) != std::string_view::npos; };
  if (contains("unreduced")) kinds.add("unreduced devices of a sharding are not used", sharding);
  if (contains("shard_as") || contains("shard_like")) {
    kinds.add("groups of values with one sharding (shard_as, shard_like) are not used", sharding);
  }
  if (contains("?}") && (contains("', ?}") || contains("',?}"))) {
    kinds.add("a dimension that may take more axes ('?') keeps those that are named", sharding);
  }
}

bool has_sharding(const hlo::text::Module& text, hlo::text::InstructionIndex index) {
  const auto attributes = text.attributes_of(text.instructions[std::size_t(index)]);
  const std::string_view* shardy = find_value(attributes, "frontend_attributes");
  return find_value(attributes, "sharding") != nullptr ||
         (shardy != nullptr && shardy->find("xla.sdy.sharding=") != std::string_view::npos);
}

/// True if the parameters or the result of a program, which the header says to leave alone, have no sharding.
bool may_spread(const hlo::text::Module& text, std::string_view attribute) {
  const hlo::text::Computation& entry = text.computations[std::size_t(text.entry)];
  if (attribute.ends_with("output")) return !has_sharding(text, entry.root);
  return !std::ranges::all_of(entry.parameters, [&](auto parameter) { return has_sharding(text, parameter); });
}

void add_header(const hlo::text::Module& text, Kinds& kinds) {
  for (const hlo::text::Attribute& attribute : text.attributes) {
    if (attribute.name == "frontend_attributes") add_shardy(attribute.value, "", kinds);
    const bool forbids = attribute.name.starts_with("allow_spmd_sharding_propagation_to_") &&
                         attribute.value.find("false") != std::string_view::npos && may_spread(text, attribute.name);
    if (forbids) kinds.add(fmt::format("'{}' is not used: shardings spread there", attribute.name), attribute.name);
  }
}

}  // namespace

std::vector<std::string> unused_shardings(const hlo::text::Module& text, const sw::driver::Partitioned& partitioned) {
  Kinds kinds(text);
  add_header(text, kinds);
  for (const hlo::spmd::propagate::UnplacedValue& value : partitioned.overruled) {
    kinds.add(value.reason, place_of(text, value.name));
  }
  for (const hlo::spmd::propagate::UnplacedValue& value : partitioned.unplaced) {
    kinds.add(fmt::format("a value on one device (maximal) counts as replicated: {}", value.reason),
              place_of(text, value.name));
  }
  for (const hlo::text::Instruction& instruction : text.instructions) {
    const std::string_view target = hlo::text::graph::custom_call_target(text, instruction);
    if (target == "xla.sdy.ShardingGroup" || target == "xla.sdy.PropagationBarrier") {
      kinds.add(fmt::format("the custom call {} is not used", target), instruction.opcode_text);
    }
    for (const hlo::text::Attribute& attribute : text.attributes_of(instruction)) {
      if (attribute.name == "frontend_attributes") add_shardy(attribute.value, target, kinds);
      if (attribute.name == "sharding") add_sharding(attribute.value, kinds);
    }
  }
  return kinds.warnings();
}

}  // namespace podsim::app::run::files
