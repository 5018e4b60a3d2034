// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/fixed_sizes.h"

#include <fmt/format.h>

#include "hw/isa/bundle.h"

namespace podsim::hw::isa {
namespace {

constexpr const char* steps_take_any = "the tile level takes any value of the range";

void require(bool fits, const char* key, const std::string& message) {
  if (!fits) throw UnfitMachine(key, message, steps_take_any);
}

}  // namespace

void require_fixed_sizes(const Machine& machine) {
  const parts::mxu::Parameters& mxu = machine.mxu;
  const parts::vector::Parameters& vector = machine.vector;
  const auto registers = [](const char* key, std::int64_t value) {
    return fmt::format("bundles have registers of {} x {} only, and '{}' is {}", register_sublanes, register_lanes, key,
                       value);
  };
  require(vector.lanes == register_lanes, "vector.lanes", registers("vector.lanes", vector.lanes));
  require(vector.sublanes == register_sublanes, "vector.sublanes", registers("vector.sublanes", vector.sublanes));
  require(vector.types == parts::vector::LaneTypes::words, "vector.types",
          "bundles have operations on f32 and s32 only, and 'vector.types' has bf16");
  require(
      mxu.size == register_lanes, "mxu.size",
      fmt::format("bundles run on matrix units of {0} x {0} only, and 'mxu.size' is {1}", register_lanes, mxu.size));
  require(mxu.bf16_products == 1, "mxu.bf16_products",
          fmt::format("bundles run on matrix units whose cells make a product of bf16 in a cycle, and "
                      "'mxu.bf16_products' is {}",
                      mxu.bf16_products));
  const std::int64_t rows = mxu.weight_rows;
  require(rows == 1 || rows == 2 || rows == 4 || rows == 8, "mxu.weight_rows_per_cycle",
          fmt::format("bundles run on matrix units that take 1, 2, 4 or 8 rows of weights per cycle, and "
                      "'mxu.weight_rows_per_cycle' is {}",
                      rows));
}

int matrix_units(const Machine& machine) {
  require(
      machine.mxu.count <= max_matrix_units, "mxu.count",
      fmt::format("a bundle names up to {} matrix units, and 'mxu.count' is {}", max_matrix_units, machine.mxu.count));
  return int(machine.mxu.count);
}

}  // namespace podsim::hw::isa
