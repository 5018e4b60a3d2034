// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/classed_program.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hlo/spmd/propagate/class_search.h"
#include "hlo/transform/flops.h"

namespace podsim::hlo::spmd::propagate {
namespace {

/// How often each computation runs in a step; branches, of which some may not, never.
std::vector<double> runs_of(const hlo::Module& module) {
  std::vector<double> runs(module.computations.size(), 0);
  runs[std::size_t(module.entry)] = 1;
  for (std::size_t i = module.computations.size(); i-- > 0;) {  // callers follow what they call
    for (const hlo::Instruction& caller : module.computations[i].instructions) {
      const bool loops = caller.opcode == hlo::Opcode::while_loop && caller.trip_count > 0;
      if (caller.opcode == hlo::Opcode::conditional) continue;
      for (const hlo::ComputationId called : caller.called) {
        runs[std::size_t(called)] += runs[i] * (loops ? double(caller.trip_count) : 1);
      }
    }
  }
  return runs;
}

class ProgramClasses {
 public:
  explicit ProgramClasses(const hlo::Module& module) : module_(module), search_(module), runs_(runs_of(module)) {}

  ClassedProgram run() && {
    find_kept();
    for (const ArrayLink& link : search_.links().links) add(link);
    const hlo::Computation& entry = module_.entry_computation();
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry.instructions.size()); ++id) {
      const bool is_array = !entry[id].shape.is_tuple();
      program_.entry.push_back(is_array ? classed(search_.table().first(module_.entry, id)) : ClassedArray{});
    }
    program_.classes = search_.classes();
    return std::move(program_);
  }

 private:
  void find_kept() {
    std::map<std::int64_t, bool> replaced;  // by parameter: rewritten
    for (const hlo::Donation& donation : module_.donations) replaced[donation.parameter] = is_rewritten(donation);
    const hlo::Computation& entry = module_.entry_computation();
    for (std::size_t number = 0; number < entry.parameters.size(); ++number) {
      const hlo::InstructionId id = entry.parameters[number];
      const ArrayId first = search_.table().first(module_.entry, id);
      for (int i = 0; i < search_.table().count(module_.entry, id); ++i) {
        const bool is_kept = replaced.contains(std::int64_t(number));
        if (is_kept) kept_.insert(joined(first + i));
        add_parameter(first + i, is_kept, is_kept && replaced[std::int64_t(number)]);
      }
    }
  }

  /// True if an elementwise op makes what replaces a parameter.
  bool is_rewritten(const hlo::Donation& donation) const {
    const hlo::Computation& entry = module_.entry_computation();
    const hlo::Instruction& root = entry[entry.root];
    const hlo::Instruction& output =
        root.opcode == hlo::Opcode::tuple ? entry[root.operands.at(std::size_t(donation.output))] : root;
    return hlo::is_elementwise(output.opcode) && output.opcode != hlo::Opcode::copy;
  }

  void add_parameter(ArrayId id, bool is_kept, bool is_rewritten) {
    ClassedArray array = classed(id);
    if (!is_kept) {
      program_.inputs.push_back(std::move(array));
      return;
    }
    const auto alike = std::ranges::find_if(
        program_.kept, [&](const KeptArrays& kept) { return kept.array == array && kept.rewritten == is_rewritten; });
    if (alike == program_.kept.end()) {
      program_.kept.push_back({std::move(array), 1, is_rewritten});
    } else {
      ++alike->count;
    }
  }

  /// The sets of an array's dimensions, by which weights are told from other arrays.
  std::vector<int> joined(ArrayId id) {
    std::vector<int> sets;
    for (int d = 0; d < int(search_.table().location(id).shape->rank()); ++d) sets.push_back(search_.joined(id, d));
    return sets;
  }

  ClassedArray classed(ArrayId id) {
    const hlo::Shape& shape = *search_.table().location(id).shape;
    ClassedArray array{
        .classes = {}, .sizes = shape.dimensions, .bytes = double(hlo::logical_bytes(shape).value()), .kept = false};
    for (int d = 0; d < int(shape.rank()); ++d) array.classes.push_back(search_.class_of(id, d));
    array.kept = shape.rank() > 0 && kept_.contains(joined(id));
    return array;
  }

  void add(const ArrayLink& link) {
    if (link.op < 0 || link.is_agreement || link.rule < 0) return;
    const hlo::Computation& computation = module_.computations[std::size_t(link.computation)];
    if (!makes_classes(computation[link.op].opcode)) return;
    ClassedProduct product;
    product.opcode = computation[link.op].opcode;
    product.op_name = computation[link.op].op_name;
    product.count = runs_[std::size_t(link.computation)];
    product.flops = double(hlo::transform::cost(module_, computation, link.op).flops);
    for (const ArrayId array : link.arrays) product.arrays.push_back(classed(array));
    add_factors(product, search_.links().rules[std::size_t(link.rule)]);
    const auto is_alike = [&](const ClassedProduct& other) {
      return other.opcode == product.opcode && other.arrays == product.arrays && other.factors == product.factors;
    };
    const auto alike = std::ranges::find_if(program_.products, is_alike);
    if (alike == program_.products.end()) {
      program_.products.push_back(std::move(product));
    } else {
      alike->count += product.count;
    }
  }

  static void add_factors(ClassedProduct& product, const OpRule& rule) {
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
      const Factor& from = rule.factors[f];
      if (from.kind == Factor::Kind::whole || from.size < 2) continue;
      ClassedFactor factor{.of_class = -1, .size = from.size, .reduced = true, .at = {}};
      for (std::size_t i = 0; i < product.arrays.size(); ++i) {
        const OpRule::Array& dimensions =
            i < rule.operands.size() ? rule.operands[i] : rule.results.at(i - rule.operands.size());
        const auto has = [&](const std::vector<int>& of) { return !of.empty() && of.front() == int(f); };
        const auto at = std::ranges::find_if(dimensions, has);
        factor.at.push_back(at == dimensions.end() ? -1 : int(at - dimensions.begin()));
        if (factor.at.back() < 0) continue;
        if (i >= rule.operands.size()) factor.reduced = false;
        if (factor.of_class < 0) factor.of_class = product.arrays[i].classes[std::size_t(factor.at.back())];
      }
      product.factors.push_back(std::move(factor));
    }
  }

  const hlo::Module& module_;
  ClassSearch search_;
  std::vector<double> runs_;
  std::set<std::vector<int>> kept_;
  ClassedProgram program_;
};

}  // namespace

ClassedProgram classed_program(const hlo::Module& module) { return ProgramClasses(module).run(); }

}  // namespace podsim::hlo::spmd::propagate
