// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/scalar/scalar_parameters.h"

#include "base/parameters/section.h"
#include "hw/parts/unit_ranges.h"

namespace podsim::hw::parts::scalar {

const base::parameters::Section<Parameters>& Parameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<Parameters> keys(
      "scalar", {
                    {"smem", &Parameters::smem, Size{base::Bytes(1LL << 30)}, {kernels, limits}},
                    {"alu_latency_cycles", &Parameters::alu_latency, unit_cycles(1), {kernels}},
                    {"load_latency_cycles", &Parameters::load_latency, unit_cycles(1), {kernels}},
                    {"branch_penalty_cycles", &Parameters::branch_penalty, unit_cycles(0), {kernels}},
                    {"from_vector_latency_cycles", &Parameters::from_vector_latency, unit_cycles(1), {kernels}},
                    {"from_vector_fifo_words", &Parameters::from_vector_fifo, positive(max_fifo), {kernels, limits}},
                });
  return keys;
}

}  // namespace podsim::hw::parts::scalar
