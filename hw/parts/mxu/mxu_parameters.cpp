// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/mxu/mxu_parameters.h"

#include "base/parameters/section.h"
#include "hw/parts/unit_ranges.h"

namespace podsim::hw::parts::mxu {

namespace {

/// The side of an array, whole registers of eight rows.
struct ArraySide {
  std::int64_t operator()(const base::parameters::Reading& reading, const std::string& key) const {
    const std::int64_t side = base::parameters::kind::positive(65536, "no array is larger")(reading, key);
    if (side % 8 != 0) reading.config.reject(key, "'" + key + "' must be a multiple of 8, the rows of a register");
    return side;
  }
};

}  // namespace

const base::parameters::Section<Parameters>& Parameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  constexpr std::int64_t most = 16;
  static const base::parameters::Section<Parameters> keys(
      "mxu", {
                 {"count", &Parameters::count, positive(1024, "no core holds more arrays"), {ops, kernels}},
                 {"size", &Parameters::size, ArraySide{}, {ops, kernels}},
                 {"bf16_products",
                  &Parameters::bf16_products,
                  positive(most, "all other products are made of those in bf16"),
                  {ops, kernels}},
                 {"s8_products", &Parameters::s8_products, whole(0, most), {ops}},
                 {"f8_products", &Parameters::f8_products, whole(0, most), {ops}},
                 {"weight_rows_per_cycle", &Parameters::weight_rows, positive(), {ops, kernels}},
                 {"result_skew_cycles", &Parameters::result_skew, unit_cycles(7), {ops, kernels}},
                 {"operand_fifo_registers", &Parameters::operand_fifo, positive(max_fifo), {kernels}},
                 {"result_fifo_registers", &Parameters::result_fifo, positive(max_fifo), {kernels}},
             });
  return keys;
}

}  // namespace podsim::hw::parts::mxu
