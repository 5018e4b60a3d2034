// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/weight_uses.h"

#include <optional>
#include <set>
#include <utility>

#include "hlo/weights/callees.h"
#include "hlo/weights/moves.h"

namespace podsim::hlo::weights {
namespace {

/// Dimensions of a weight, bit by bit.
using Dimensions = std::uint64_t;
constexpr int most_dimensions = 64;

/// A value that has elements of a weight.
struct Track {
  std::size_t weight = 0;
  std::vector<Dimensions> along;  ///< by dimension of the value, those of the weight that it may go along
};

/// An array or a tuple of arrays.
struct Tracked {
  std::optional<Track> array = std::nullopt;
  std::vector<std::optional<Track>> elements = {};
  bool any() const {
    for (const auto& element : elements) {
      if (element) return true;
    }
    return array.has_value();
  }
};

class Uses {
 public:
  Uses(const Module& module, std::span<const std::int64_t> parameters)
      : module_(module), products_(parameters.size()), look_ups_(parameters.size()) {}

  std::vector<WeightUse> result(std::span<const std::int64_t> parameters) {
    const Computation& entry = module_.entry_computation();
    std::vector<Tracked> given(entry.parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const int rank = entry[entry.parameters[std::size_t(parameters[i])]].shape.rank();
      if (rank < 2 || rank > most_dimensions) continue;
      Track track{.weight = i, .along = {}};
      for (int d = 0; d < rank; ++d) track.along.push_back(Dimensions(1) << d);
      given[std::size_t(parameters[i])].array = std::move(track);
    }
    visit(module_.entry, std::move(given));
    std::vector<WeightUse> uses(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::optional<Dimensions>& summed = products_[i] ? products_[i] : look_ups_[i];
      if (!summed) continue;
      uses[i].multiplied = true;
      uses[i].looked_up = look_ups_[i].has_value();
      const int rank = entry[entry.parameters[std::size_t(parameters[i])]].shape.rank();
      for (int d = 0; d < rank; ++d) uses[i].summed.push_back((*summed >> d & 1) != 0);
    }
    return uses;
  }

 private:
  void visit(ComputationId id, std::vector<Tracked> given) {
    const Computation& computation = module_.computations[std::size_t(id)];
    std::vector<Tracked> values(computation.instructions.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      values[std::size_t(computation.parameters[i])] = std::move(given[i]);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Instruction& instruction = computation[InstructionId(i)];
      if (instruction.opcode != Opcode::parameter) values[i] = follow(computation, instruction, values);
    }
  }

  Tracked follow(const Computation& computation, const Instruction& instruction, const std::vector<Tracked>& values) {
    const auto value = [&](std::size_t operand) -> const Tracked& {
      return values[std::size_t(instruction.operands[operand])];
    };
    switch (instruction.opcode) {
      case Opcode::tuple: {
        Tracked tuple;
        for (std::size_t i = 0; i < instruction.operands.size(); ++i) tuple.elements.push_back(value(i).array);
        return tuple;
      }
      case Opcode::get_tuple_element: {
        const auto& elements = value(0).elements;
        return {.array = elements.empty() ? std::nullopt : elements[std::size_t(instruction.index)]};
      }
      case Opcode::dot:
      case Opcode::convolution:
        for (std::size_t i = 0; i < 2; ++i) add_product(computation, instruction, i, value(i).array);
        return {};
      case Opcode::while_loop:
        return follow_loop(instruction, value(0));
      case Opcode::conditional:
        for (std::size_t k = 0; k < instruction.called.size(); ++k) {
          if (value(k + 1).any()) visit(instruction.called[k], {value(k + 1)});
        }
        return {};
      default:
        break;
    }
    const bool moves = moves_elements(instruction) || converts_weight(computation, instruction);
    if (!moves || !value(0).array) return {};
    return {.array = moved(computation[instruction.operands[0]].shape, instruction, *value(0).array)};
  }

  /// The state behind a loop, whose trips see what they pass on.
  Tracked follow_loop(const Instruction& loop, const Tracked& state) {
    if (state.elements.empty()) return {};
    const std::set<std::int64_t> passed = passed_elements(module_, loop);
    Tracked kept;
    kept.elements.resize(state.elements.size());
    for (const std::int64_t element : passed)
      kept.elements[std::size_t(element)] = state.elements[std::size_t(element)];
    if (!kept.any()) return kept;
    for (const ComputationId called : loop.called) visit(called, {kept});
    return kept;
  }

  void add_product(const Computation& computation, const Instruction& product, std::size_t operand,
                   const std::optional<Track>& track) {
    if (!track) return;
    const std::vector<int> kept = result_dimensions(computation, product, operand);
    Dimensions summed = products_[track->weight].value_or(0);
    for (std::size_t d = 0; d < kept.size(); ++d) summed |= kept[d] < 0 ? track->along[d] : 0;
    products_[track->weight] = summed;
  }

  Track moved(const Shape& from, const Instruction& instruction, const Track& track) {
    Track result{.weight = track.weight, .along = std::vector<Dimensions>(std::size_t(instruction.shape.rank()), 0)};
    switch (instruction.opcode) {
      case Opcode::transpose:
        for (std::size_t d = 0; d < result.along.size(); ++d) {
          result.along[d] = track.along[std::size_t(instruction.dimensions[d])];
        }
        return result;
      case Opcode::broadcast:
        for (std::size_t d = 0; d < track.along.size(); ++d) {
          result.along[std::size_t(instruction.dimensions[d])] = track.along[d];
        }
        return result;
      case Opcode::reshape:
        if (from.element_count() == 0) return result;
        for (const ReshapedRun& run : reshaped_runs(from.dimensions, instruction.shape.dimensions)) {
          Dimensions all = 0;
          for (int d = run.from; d < run.from_end; ++d) {
            all |= from.dimensions[std::size_t(d)] > 1 ? track.along[std::size_t(d)] : 0;
          }
          for (int d = run.to; d < run.to_end; ++d) result.along[std::size_t(d)] = all;
        }
        return result;
      case Opcode::gather: {
        const std::vector<bool> indexed = indexed_dimensions(instruction, from.rank());
        Dimensions rows = 0;
        for (std::size_t d = 0; d < indexed.size(); ++d) rows |= indexed[d] ? track.along[d] : 0;
        look_ups_[track.weight] = look_ups_[track.weight].value_or(0) | rows;
        const std::vector<int> along = gathered_dimensions(instruction, from.rank());
        for (std::size_t d = 0; d < along.size(); ++d) {
          result.along[d] = along[d] < 0 ? rows : track.along[std::size_t(along[d])];
        }
        return result;
      }
      default:
        return track;
    }
  }

  const Module& module_;
  std::vector<std::optional<Dimensions>> products_, look_ups_;  ///< by weight: what they sum over
};

}  // namespace

std::vector<WeightUse> weight_uses(const Module& module, std::span<const std::int64_t> parameters) {
  return Uses(module, parameters).result(parameters);
}

}  // namespace podsim::hlo::weights
