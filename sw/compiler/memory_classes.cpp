// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/memory_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "sw/compiler/memory_account.h"

namespace podsim::sw::compiler {
namespace {

/// By instruction of the entry: a result depends on it. An element of a collective of several arrays depends on its
/// array alone: the loss is summed with the gradients.
std::vector<bool> ancestors_of(const hlo::Computation& entry, std::span<const hlo::InstructionId> results) {
  std::vector<bool> marks(entry.instructions.size(), false);
  for (const hlo::InstructionId id : results) marks[std::size_t(id)] = true;
  for (auto id = hlo::InstructionId(marks.size()); id-- > 0;) {
    if (!marks[std::size_t(id)]) continue;
    if (entry[id].opcode == hlo::Opcode::get_tuple_element) {
      const hlo::Instruction& tuple = entry[entry[id].operands[0]];
      if (hlo::is_collective(tuple.opcode) && std::size_t(entry[id].index) < tuple.operands.size()) {
        marks[std::size_t(tuple.operands[std::size_t(entry[id].index)])] = true;
        continue;
      }
    }
    for (const hlo::InstructionId operand : entry[id].operands) marks[std::size_t(operand)] = true;
  }
  return marks;
}

class Sorting {
 public:
  Sorting(const hlo::Module& module, std::span<const hlo::Donation> donations,
          const std::optional<std::vector<hlo::transform::ArgumentKind>>& kinds)
      : entry_(module.entry_computation()), kinds_(kinds) {
    const std::vector<hlo::InstructionId> results = hlo::transform::forward_results(module, donations);
    // A step of a decoder replaces its cache.
    trains_ =
        !results.empty() && (!kinds || std::ranges::find(*kinds, hlo::transform::ArgumentKind::cache) == kinds->end());
    forward_ = ancestors_of(entry_, results);
    for (std::size_t i = 0; i < entry_.parameters.size(); ++i) {
      if (kind_of(i) == hlo::transform::ArgumentKind::parameter) trained_.insert(sorted_sizes(entry_.parameters[i]));
    }
  }

  base::Bytes& of(MemoryClasses& classes, hlo::InstructionId id) const {
    const auto argument = std::ranges::find(entry_.parameters, id);
    if (argument != entry_.parameters.end()) {
      switch (kind_of(std::size_t(argument - entry_.parameters.begin()))) {
        case hlo::transform::ArgumentKind::slot:
          return classes.slots;
        case hlo::transform::ArgumentKind::cache:
          return classes.caches;
        case hlo::transform::ArgumentKind::input:
          return classes.inputs;
        default:
          return classes.weights;
      }
    }
    if (!trains_) return classes.temporaries;
    if (forward_[std::size_t(id)]) return classes.activations;
    return trained_.contains(sorted_sizes(id)) ? classes.gradients : classes.temporaries;
  }

 private:
  hlo::transform::ArgumentKind kind_of(std::size_t argument) const {
    return kinds_ ? (*kinds_)[argument] : hlo::transform::ArgumentKind::parameter;
  }
  /// Sizes of the dimensions in any order: a gradient may be transposed.
  std::vector<std::int64_t> sorted_sizes(hlo::InstructionId id) const {
    std::vector<std::int64_t> sizes = entry_[id].shape.dimensions;
    std::ranges::sort(sizes);
    return sizes;
  }

  const hlo::Computation& entry_;
  const std::optional<std::vector<hlo::transform::ArgumentKind>>& kinds_;
  bool trains_ = false;
  std::vector<bool> forward_;
  std::set<std::vector<std::int64_t>> trained_;
};

}  // namespace

MemoryClasses memory_classes(const hlo::Module& module, std::span<const hlo::Donation> donations,
                             const std::optional<std::vector<hlo::transform::ArgumentKind>>& kinds,
                             hlo::InstructionId position) {
  const Sorting sorting(module, donations, kinds);
  MemoryClasses classes;
  for (const LiveArray& array : find_liveness(module, donations).arrays) {
    if (array.definition > position || array.last_use < position) continue;
    sorting.of(classes, array.origin) += array.bytes;
    const hlo::Shape& shape = module.entry_computation()[array.origin].shape;
    if (!shape.is_tuple()) classes.padding += array.bytes - std::min(array.bytes, hlo::logical_bytes(shape));
  }
  return classes;
}

std::string to_string(const MemoryClasses& classes) {
  const std::array named{
      std::pair{"weights", classes.weights},         std::pair{"slots", classes.slots},
      std::pair{"caches", classes.caches},           std::pair{"inputs", classes.inputs},
      std::pair{"activations", classes.activations}, std::pair{"gradients", classes.gradients},
      std::pair{"temporaries", classes.temporaries},
  };
  std::string text;
  for (const auto& [name, bytes] : named) {
    if (bytes > base::Bytes(0)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, base::to_string(bytes));
  }
  if (classes.padding > base::Bytes(0)) text += fmt::format("; {} of them padding", base::to_string(classes.padding));
  return text;
}

}  // namespace podsim::sw::compiler
