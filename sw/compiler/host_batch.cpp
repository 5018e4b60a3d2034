// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/host_batch.h"

#include <algorithm>
#include <cstdint>

#include "sw/ir/shape.h"

namespace podsim::sw::compiler {

base::Bytes batch_bytes(const ir::Module& module, std::span<const ir::Donation> donations) {
  base::Bytes bytes;
  if (donations.empty()) return bytes;
  const auto is_replaced = [&](std::int64_t parameter, std::int64_t element) {
    return std::ranges::any_of(donations, [&](const ir::Donation& donation) {
      return donation.parameter == parameter && donation.element == element;
    });
  };
  const ir::Computation& entry = module.computations[std::size_t(module.entry)];
  for (std::size_t parameter = 0; parameter < entry.parameters.size(); ++parameter) {
    const ir::Shape& shape = entry[entry.parameters[parameter]].shape;
    const std::span<const ir::Shape> elements =
        shape.is_tuple() ? std::span<const ir::Shape>(shape.tuple_shapes) : std::span<const ir::Shape>(&shape, 1);
    for (std::size_t element = 0; element < elements.size(); ++element) {
      if (!is_replaced(std::int64_t(parameter), std::int64_t(element))) bytes += ir::logical_bytes(elements[element]);
    }
  }
  return bytes;
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
