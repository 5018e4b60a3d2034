// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/mesh/sharding_file.h.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text/glob.h"
#include "hlo/spmd/mesh/axis_sharding.h"
#include "hlo/spmd/mesh/sharding_file.h"

namespace podsim::hlo::spmd::mesh {
namespace {

bool is_token(const hlo::Shape& shape) { return shape.element_type == hlo::ElementType::token; }

/// The smallest rank among the arrays of a value, HLO tokens excluded; 0 if it has none.
int min_rank(const hlo::Shape& shape) {
  int rank = -1;
  for (const hlo::Shape* leaf : leaf_shapes(shape)) {
    if (!is_token(*leaf)) rank = rank < 0 ? leaf->rank() : std::min(rank, leaf->rank());
  }
  return std::max(rank, 0);
}

class Annotation {
 public:
  Annotation(hlo::Module& module, const Mesh& mesh, const ShardingFile& file)
      : module_(module),
        entry_(module.computations[std::size_t(module.entry)]),
        executed_(hlo::executed_computations(module)),
        mesh_(mesh),
        rules_(file.rules) {
    for (const hlo::Computation& computation : module.computations) {
      taken_.emplace_back(computation.instructions.size(), false);
    }
  }

  void run() {
    for (const ShardingRule& rule : rules_) {
      if (names_axes(rule)) apply(rule);
    }
    if (!diagnostics_.empty()) throw base::InputError(std::move(diagnostics_));
  }

 private:
  void report(std::string message, const base::SourceLocation& where, std::string hint = "") {
    diagnostics_.push_back({base::Diagnostic::Severity::error, std::move(message), where, std::move(hint)});
  }

  /// Returns whether the mesh has all axes of a rule. Checks one more dimension at a time, so that the error is at the
  /// location of the dimension that is wrong.
  bool names_axes(const ShardingRule& rule) {
    for (std::size_t count = 1; count <= rule.dimensions.size(); ++count) {
      const std::vector<std::string> first(rule.dimensions.begin(), rule.dimensions.begin() + std::ptrdiff_t(count));
      try {
        parse_axes(mesh_, first, int(count));
      } catch (const base::InputError& error) {
        for (const base::Diagnostic& diagnostic : error.diagnostics()) {
          report(diagnostic.message, rule.dimension_locations[count - 1], diagnostic.hint);
        }
        return false;
      }
    }
    return true;
  }

  /// Applies a rule to the entry or, if it matches nothing there, to what the entry calls, such as bodies of loops.
  void apply(const ShardingRule& rule) {
    Matches found = matches(rule, std::size_t(module_.entry));
    for (std::size_t c = 0; c < module_.computations.size() && !found.any && found.lacking == nullptr; ++c) {
      if (executed_[c] && c != std::size_t(module_.entry)) found = matches(rule, c);
    }
    if (found.any) return;
    if (found.lacking != nullptr) return report_rank(rule, *found.lacking);
    report(fmt::format("'{}' matches no value of the program", rule.pattern), rule.pattern_location, nearest(rule));
  }

  struct Matches {
    bool any = false;
    const hlo::Instruction* lacking = nullptr;  ///< an instruction with too few dimensions
  };

  /// Gives the rule's sharding to what matches it in a computation.
  Matches matches(const ShardingRule& rule, std::size_t c) {
    hlo::Computation& computation = module_.computations[c];
    std::vector<bool>& taken = taken_[c];
    Matches found;
    for (std::size_t i = 0; i < computation.instructions.size(); ++i) {
      hlo::Instruction& instruction = computation.instructions[i];
      const bool by_name = base::text::glob_match(rule.pattern, instruction.name);
      if (!by_name && (instruction.shape.is_tuple() || !base::text::glob_match(rule.pattern, instruction.op_name)))
        continue;
      if (!taken[i] && min_rank(instruction.shape) < int(rule.dimensions.size())) {
        found.lacking = &instruction;
        if (by_name) return {false, &instruction};
        continue;
      }
      found.any = true;
      if (!taken[i]) instruction.sharding = sharding_of(rule, instruction.shape);
      taken[i] = true;
    }
    return found;
  }

  void report_rank(const ShardingRule& rule, const hlo::Instruction& instruction) {
    const int rank = min_rank(instruction.shape);
    report(fmt::format("{} dimensions are named, but {} {} has {}", rule.dimensions.size(), instruction.name,
                       hlo::to_string(instruction.shape), rank),
           rule.dimension_locations[std::size_t(rank)]);
  }

  std::shared_ptr<const hlo::Sharding> sharding_of(const ShardingRule& rule, const hlo::Shape& shape) const {
    ValueSharding value;
    for (const hlo::Shape* leaf : leaf_shapes(shape)) {
      if (is_token(*leaf) || rule.kind == ShardingRule::Kind::replicated) {
        value.push_back(replicated(leaf->rank()));
      } else if (rule.kind == ShardingRule::Kind::manual) {
        value.push_back(manual(leaf->rank()));
      } else {
        value.push_back(parse_axes(mesh_, rule.dimensions, leaf->rank()));
      }
    }
    return std::make_shared<const hlo::Sharding>(to_hlo(mesh_, shape, value));
  }

  /// A hint with the name nearest to the pattern. If the pattern has a star, numbers in names are replaced by stars
  /// before they are compared.
  std::string nearest(const ShardingRule& rule) const {
    const bool glob = rule.pattern.find('*') != std::string::npos;
    std::set<std::string> names;
    for (const hlo::Instruction& instruction : entry_.instructions) {
      for (const std::string& name : {instruction.name, instruction.op_name}) {
        if (!name.empty()) names.insert(glob ? base::text::glob_of_numbered(name) : name);
      }
    }
    const std::vector<std::string> candidates(names.begin(), names.end());
    std::string hint = base::did_you_mean(rule.pattern, candidates);
    if (hint.empty() && !entry_.parameters.empty()) {
      hint = fmt::format("its first parameter is '{}'", entry_[entry_.parameters.front()].name);
    }
    return hint;
  }

  hlo::Module& module_;
  const hlo::Computation& entry_;
  std::vector<bool> executed_;            ///< by computation
  std::vector<std::vector<bool>> taken_;  ///< by computation and instruction: a rule has matched it
  const Mesh& mesh_;
  const std::vector<ShardingRule>& rules_;
  std::vector<base::Diagnostic> diagnostics_;
};

}  // namespace

void annotate(hlo::Module& module, const Mesh& mesh, const ShardingFile& file) { Annotation(module, mesh, file).run(); }

}  // namespace podsim::hlo::spmd::mesh
