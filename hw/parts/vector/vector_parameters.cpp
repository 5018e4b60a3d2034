// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/vector/vector_parameters.h"

#include "base/parameters/section.h"
#include "hw/parts/unit_ranges.h"

namespace podsim::hw::parts::vector {

const base::parameters::Section<Parameters>& Parameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<Parameters> keys(
      "vector",
      {
          {"lanes", &Parameters::lanes, PowerOfTwo{4096}, {ops, collectives, packets, kernels, limits}},
          {"sublanes", &Parameters::sublanes, PowerOfTwo{64}, {ops, collectives, packets, kernels, limits}},
          {"types",
           &Parameters::types,
           Choice<LaneTypes>{{{"f32 s32", LaneTypes::words}, {"f32 s32 bf16", LaneTypes::words_and_bf16}}},
           {ops, collectives, packets, kernels}},
          {"alus", &Parameters::alus, positive(), {ops, collectives, packets, kernels}},
          {"loads", &Parameters::loads, positive(), {ops, collectives, packets, kernels}},
          {"stores", &Parameters::stores, positive(), {ops, collectives, packets, kernels}},
          {"transcendental_interval_cycles", &Parameters::transcendental_interval, unit_cycles(1), {ops, kernels}},
          {"load_latency_cycles", &Parameters::load_latency, unit_cycles(1), {kernels}},
          {"alu_latency_cycles", &Parameters::alu_latency, unit_cycles(1), {kernels}},
          {"store_to_load_cycles", &Parameters::store_to_load, unit_cycles(1), {kernels}},
          {"transcendental_latency_cycles", &Parameters::transcendental_latency, unit_cycles(1), {kernels}},
          {"transcendental_fifo_registers", &Parameters::transcendental_fifo, positive(max_fifo), {kernels}},
      });
  return keys;
}

}  // namespace podsim::hw::parts::vector
