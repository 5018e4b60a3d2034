// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/class_search.h"

#include <algorithm>
#include <numeric>

namespace podsim::hlo::spmd::propagate {
namespace {

bool is_window(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::convolution || opcode == hlo::Opcode::reduce_window ||
         opcode == hlo::Opcode::select_and_scatter || opcode == hlo::Opcode::pad;
}

}  // namespace

bool makes_classes(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::dot || opcode == hlo::Opcode::convolution || opcode == hlo::Opcode::gather;
}

JoinedDimensions::JoinedDimensions(const ArrayTable& table) : table_(table), first_(std::size_t(table.size()) + 1) {
  for (ArrayId array = 0; array < table.size(); ++array) {
    first_[std::size_t(array) + 1] = first_[std::size_t(array)] + int(table.location(array).shape->rank());
  }
  parents_.resize(std::size_t(first_.back()));
  std::iota(parents_.begin(), parents_.end(), 0);
}

int JoinedDimensions::find(ArrayId array, int dimension) {
  int at = first_[std::size_t(table_.representative(array))] + dimension;
  while (parents_[std::size_t(at)] != at) {
    parents_[std::size_t(at)] = parents_[std::size_t(parents_[std::size_t(at)])];
    at = parents_[std::size_t(at)];
  }
  return at;
}

ClassSearch::ClassSearch(const hlo::Module& module)
    : module_(module), table_(module), links_(array_links(table_)), dimensions_(table_) {
  for (const ArrayLink& link : links_.links) join(link);
  for (const ArrayLink& link : links_.links) describe(link);
  collect();
  merge();
}

int ClassSearch::class_of(ArrayId array, int dimension) {
  const auto at = class_of_set_.find(dimensions_.find(array, dimension));
  return at == class_of_set_.end() ? -1 : at->second;
}

const hlo::Computation& ClassSearch::entry() const { return module_.computations[std::size_t(module_.entry)]; }

const hlo::Instruction& ClassSearch::instruction_of(ArrayId array) const {
  const ArrayTable::Location& at = table_.location(array);
  return module_.computations[std::size_t(at.computation)][at.id];
}

/// True for arrays that unrelated values share.
bool ClassSearch::is_shared(ArrayId array) const {
  const hlo::Instruction& of = instruction_of(array);
  if (of.opcode == hlo::Opcode::constant || of.opcode == hlo::Opcode::iota) return true;
  if (of.opcode != hlo::Opcode::broadcast) return false;
  const hlo::Computation& computation = module_.computations[std::size_t(table_.location(array).computation)];
  return computation[of.operands.at(0)].shape.rank() == 0;
}

template <class Visit>
void ClassSearch::each_dimension(const ArrayLink& link, Visit visit) const {
  for (std::size_t i = 0; i < link.arrays.size(); ++i) {
    const ArrayId array = link.arrays[i];
    const int rank = int(table_.location(array).shape->rank());
    if (link.rule < 0) {
      for (int d = 0; d < rank; ++d) visit(array, d, d);
      continue;
    }
    const OpRule& rule = links_.rules[std::size_t(link.rule)];
    const OpRule::Array& dimensions =
        i < rule.operands.size() ? rule.operands[i] : rule.results.at(i - rule.operands.size());
    for (int d = 0; d < std::min(rank, int(dimensions.size())); ++d) {
      if (dimensions[std::size_t(d)].empty()) continue;
      const int factor = dimensions[std::size_t(d)].front();
      if (joins(rule.factors[std::size_t(factor)], link)) visit(array, d, factor);
    }
  }
}

void ClassSearch::join(const ArrayLink& link) {
  if (link.is_border) return;
  std::map<int, std::pair<ArrayId, int>> first;  // by factor: an array's dimension that has it
  each_dimension(link, [&](ArrayId array, int dimension, int factor) {
    if (is_shared(array)) return;
    const auto [at, is_new] = first.try_emplace(factor, array, dimension);
    if (!is_new) dimensions_.join(array, dimension, at->second.first, at->second.second);
  });
}

bool ClassSearch::joins(const Factor& factor, const ArrayLink& link) const {
  using enum Factor::Kind;
  if (factor.kind == parallel || factor.kind == reduction) return true;
  if (factor.kind != shifted || link.op < 0) return false;
  return is_window(module_.computations[std::size_t(link.computation)][link.op].opcode);
}

/// Adds an op to the parts that its dimensions play.
void ClassSearch::describe(const ArrayLink& link) {
  if (link.op < 0 || link.is_agreement) return;
  const hlo::Instruction& op = module_.computations[std::size_t(link.computation)][link.op];
  if (!makes_classes(op.opcode)) return;
  for (std::size_t i = 0; i < link.arrays.size(); ++i) {
    const ArrayId array = link.arrays[i];
    const hlo::Shape& shape = *table_.location(array).shape;
    std::string part = std::to_string(int(op.opcode)) + '/' + std::to_string(i);
    for (const std::int64_t size : shape.dimensions) part += ',' + std::to_string(size);
    for (int d = 0; d < int(shape.rank()); ++d) {
      ++parts_[dimensions_.find(array, d)][part + ':' + std::to_string(d)];
    }
  }
}

void ClassSearch::collect() {
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry().instructions.size()); ++id) {
    const hlo::Instruction& instruction = entry()[id];
    const bool is_parameter = instruction.opcode == hlo::Opcode::parameter;
    if (instruction.shape.is_tuple() || (!is_parameter && !makes_classes(instruction.opcode))) continue;
    for (int d = 0; d < int(instruction.shape.rank()); ++d) {
      const std::int64_t size = instruction.shape.dimensions[std::size_t(d)];
      if (size < 2) continue;
      const int root = dimensions_.find(table_.first(module_.entry, id), d);
      auto [at, is_new] = number_.try_emplace(root, found_.size());
      if (is_new) found_.push_back({root, {}});
      DimensionClass& of = found_[at->second].second;
      of.size = std::max(of.size, size);
      of.of.push_back({id, d});
    }
  }
}

/// One class for those that play the same parts, without those that no product has.
void ClassSearch::merge() {
  std::map<std::map<std::string, int>, int> by_parts;
  for (auto& [root, of] : found_) {
    const std::map<std::string, int>& parts = parts_[root];
    if (parts.empty()) continue;
    const auto [at, is_new] = by_parts.try_emplace(parts, int(classes_.size()));
    class_of_set_[root] = at->second;
    if (is_new) {
      classes_.push_back(std::move(of));
      continue;
    }
    DimensionClass& into = classes_[std::size_t(at->second)];
    into.size = std::max(into.size, of.size);
    into.of.insert(into.of.end(), of.of.begin(), of.of.end());
  }
  for (DimensionClass& of : classes_) std::ranges::sort(of.of, {}, &EntryDimension::id);
}

}  // namespace podsim::hlo::spmd::propagate
