// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/host_batch.h"

#include <algorithm>
#include <cstdint>

#include "hlo/shape.h"

namespace podsim::sw::compiler {

namespace {

/// Calls `take` with each entry parameter, or element of one, and whether an output replaces it.
template <typename Take>
void for_each_entry_array(const hlo::Module& module, std::span<const hlo::Donation> donations, Take take) {
  const auto is_replaced = [&](std::int64_t parameter, std::int64_t element) {
    return std::ranges::any_of(donations, [&](const hlo::Donation& donation) {
      return donation.parameter == parameter && donation.element == element;
    });
  };
  const hlo::Computation& entry = module.computations[std::size_t(module.entry)];
  for (std::size_t parameter = 0; parameter < entry.parameters.size(); ++parameter) {
    const hlo::Shape& shape = entry[entry.parameters[parameter]].shape;
    const std::span<const hlo::Shape> elements =
        shape.is_tuple() ? std::span<const hlo::Shape>(shape.tuple_shapes) : std::span<const hlo::Shape>(&shape, 1);
    for (std::size_t element = 0; element < elements.size(); ++element) {
      take(elements[element], is_replaced(std::int64_t(parameter), std::int64_t(element)));
    }
  }
}

}  // namespace

base::Bytes batch_bytes(const hlo::Module& module, std::span<const hlo::Donation> donations) {
  base::Bytes bytes;
  if (donations.empty()) return bytes;
  for_each_entry_array(module, donations, [&](const hlo::Shape& shape, bool replaced) {
    if (!replaced) bytes += hlo::logical_bytes(shape);
  });
  return bytes;
}

std::vector<base::Bytes> state_bytes(const hlo::Module& module, std::span<const hlo::Donation> donations) {
  std::vector<base::Bytes> state;
  for_each_entry_array(module, donations, [&](const hlo::Shape& shape, bool replaced) {
    if (replaced) state.push_back(hlo::logical_bytes(shape));
  });
  return state;
}

void wait_for_batch(Program& program, base::Bytes bytes) {
  if (!program.infeeds.empty()) return;
  for (Loop& loop : program.loops) {
    ++loop.first;
    ++loop.end;
  }
  for (ProgramItem& item : program.items) {
    if (item.started_by >= 0) ++item.started_by;
  }
  program.infeeds.push_back({.bytes = bytes, .tensors = 0, .in_place = true});
  ProgramItem wait;
  wait.kind = ProgramItem::Kind::infeed;
  wait.hlo_name = "batch";
  wait.op_name = "host/batch";
  wait.category = "infeed";
  wait.hlo_text = "the batch of the step, written by the host";
  wait.bytes = bytes;
  program.items.insert(program.items.begin(), std::move(wait));
}

}  // namespace podsim::sw::compiler
