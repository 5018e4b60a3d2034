// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/op_rule_builder.h"

#include <optional>
#include <utility>

#include "hlo/spmd/mesh/axis_sharding.h"
#include "hlo/spmd/propagate/combiner.h"

namespace podsim::hlo::spmd::propagate {
namespace {

std::vector<OpRule::Array> without_factors(const std::vector<const hlo::Shape*>& shapes) {
  std::vector<OpRule::Array> arrays;
  for (const hlo::Shape* shape : shapes) arrays.emplace_back(std::size_t(shape->rank()));
  return arrays;
}

}  // namespace

OpRuleBuilder::OpRuleBuilder(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id)
    : module_(module), computation_(computation), instruction_(computation[id]) {
  for (const hlo::InstructionId operand : instruction_.operands) {
    const std::vector<const hlo::Shape*> leaves = mesh::leaf_shapes(computation[operand].shape);
    operands_.insert(operands_.end(), leaves.begin(), leaves.end());
  }
  results_ = mesh::leaf_shapes(instruction_.shape);
  rule_.operands = without_factors(operands_);
  rule_.results = without_factors(results_);
}

std::vector<int>& OpRuleBuilder::factors_of(const Place& place) {
  std::vector<OpRule::Array>& arrays = place.is_result ? rule_.results : rule_.operands;
  return arrays.at(std::size_t(place.array)).at(std::size_t(place.dimension));
}

std::int64_t OpRuleBuilder::size_of(const Place& place) const {
  const hlo::Shape& shape = place.is_result ? result(place.array) : operand(place.array);
  return shape.dimensions.at(std::size_t(place.dimension));
}

void OpRuleBuilder::join(Factor::Kind kind, const std::vector<Place>& dimensions) {
  join_part(kind, size_of(dimensions.back()), dimensions);
}

void OpRuleBuilder::join_part(Factor::Kind kind, std::int64_t size, const std::vector<Place>& dimensions) {
  const int factor = int(rule_.factors.size());
  rule_.factors.push_back({size, kind});
  for (const Place& place : dimensions) factors_of(place).push_back(factor);
}

void OpRuleBuilder::join_arrays(int operand, int result) {
  for (int d = 0; d < this->result(result).rank(); ++d) {
    join(Factor::Kind::parallel, {in(operand, d), out(result, d)});
  }
}

bool OpRuleBuilder::take_simple_combiner() {
  const std::optional<hlo::Opcode> combiner =
      simple_combiner(module_.computations[std::size_t(instruction_.called.front())]);
  if (combiner) rule_.combiner = *combiner;
  return combiner.has_value();
}

OpRule OpRuleBuilder::finish() && {
  const auto complete = [this](bool are_results, std::size_t count) {
    for (int array = 0; array < int(count); ++array) {
      const int rank = are_results ? result(array).rank() : operand(array).rank();
      for (int d = 0; d < rank; ++d) {
        const Place place{are_results, array, d};
        if (factors_of(place).empty() && size_of(place) != 1) join(Factor::Kind::whole, {place});
      }
    }
  };
  complete(false, operands_.size());
  complete(true, results_.size());
  return std::move(rule_);
}

}  // namespace podsim::hlo::spmd::propagate
