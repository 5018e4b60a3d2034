// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/sharding_check.h"

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "base/text/counted.h"
#include "hlo/sharding.h"
#include "hlo/text/attribute_value.h"

namespace podsim::hlo::text {
namespace {

/// Appends the arrays and tokens of a shape in order, with nested tuples flattened.
void append_leaves(const ShapeTable& shapes, ShapeId id, std::vector<ShapeId>& leaves) {
  if (!shapes[id].is_tuple) return leaves.push_back(id);
  for (const ShapeId element : shapes[id].elements) append_leaves(shapes, element, leaves);
}

/// The header's num_partitions, 0 if it has none.
std::int64_t stated_partitions(const Module& module) {
  const std::string_view* value = find_value(module.attributes, "num_partitions");
  if (value == nullptr) return 0;
  Scanner scanner(*value);
  return scanner.integer("a number");
}

class Check {
 public:
  Check(const Module& module, std::string_view place, DiagnosticList& diagnostics)
      : module_(module), location_(place), diagnostics_(diagnostics) {}

  void run(const hlo::Sharding& sharding, ShapeId shape) {
    const bool is_tuple = module_.shapes[shape].is_tuple;
    if (sharding.kind != hlo::Sharding::Kind::tuple) {
      if (!is_tuple) check_array(sharding, shape);
      return;
    }
    if (!is_tuple) return report(fmt::format("a list of {} for the one array", counted_shardings(sharding)), shape);
    std::vector<ShapeId> leaves;
    append_leaves(module_.shapes, shape, leaves);
    if (leaves.empty()) return;
    if (leaves.size() != sharding.elements.size()) {
      return report(fmt::format("a list of {} for the {} of", counted_shardings(sharding),
                                base::text::counted(leaves.size(), "array")),
                    shape);
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) check_array(sharding.elements[i], leaves[i]);
  }

 private:
  static std::string counted_shardings(const hlo::Sharding& list) {
    return base::text::counted(list.elements.size(), "sharding");
  }

  void report(const std::string& what, ShapeId shape, const std::string& hint = "") {
    diagnostics_.error(location_, fmt::format("{} {}", what, module_.shapes.text(shape, false)), hint);
  }

  void check_array(const hlo::Sharding& sharding, ShapeId id) {
    const Shape& shape = module_.shapes[id];
    if (sharding.kind != hlo::Sharding::Kind::tiled || shape.type == hlo::ElementType::token) return;
    const std::size_t rank = shape.dimensions.size();
    const std::size_t cut = std::size_t(sharding.rank());
    if (cut != rank) {
      const bool lacks_rest = sharding.subgroups.empty() && cut == rank + 1;
      return report(fmt::format("tiles of {} for the {} of", base::text::counted(cut, "dimension"),
                                base::text::counted(rank, "dimension")),
                    id, lacks_rest ? "is the last one 'last_tile_dim_replicate'?" : "");
    }
    const std::int64_t partitions = stated_partitions(module_);
    const std::int64_t devices =
        std::accumulate(sharding.tiles.begin(), sharding.tiles.end(), std::int64_t{1}, std::multiplies{});
    if (partitions > 1 && devices != partitions) {
      report(fmt::format("tiles on {} devices of a module with num_partitions={}, of", devices, partitions), id,
             devices < partitions ? "what tiles leave holds copies: last_tile_dim_replicate" : "");
    }
  }

  const Module& module_;
  std::string_view location_;
  DiagnosticList& diagnostics_;
};

}  // namespace

void check_sharding(const Module& module, const Instruction& instruction, DiagnosticList& diagnostics) {
  if (instruction.phase != hlo::AsyncPhase::none || instruction.opcode == hlo::Opcode::infeed ||
      instruction.opcode == hlo::Opcode::outfeed) {
    return;
  }
  const std::string_view* text = find_value(module.attributes_of(instruction), "sharding");
  if (text == nullptr) return;
  Scanner scanner(*text);
  Check(module, *text, diagnostics).run(read_written_sharding(scanner), instruction.shape);
}

}  // namespace podsim::hlo::text
