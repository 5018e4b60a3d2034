// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/plan_bound.h"

#include <algorithm>
#include <cstdint>

#include "sw/plans/product_padding.h"

namespace podsim::sw::plans {
namespace {

using hlo::spmd::propagate::ClassedArray;
using hlo::spmd::propagate::ClassedProduct;

AxisSet axes_of(const ShardingPlan& plan, const ClassedArray& array) {
  AxisSet all = 0;
  for (const AxisSet set : divided(plan, array)) all = AxisSet(all | set);
  return all;
}

/// FLOPs per second of the fastest type.
double fastest_rate(const TargetMachine& machine) {
  const std::int64_t products = std::max({machine.mxu.bf16_products, machine.mxu.s8_products, machine.mxu.f8_products});
  return machine.peak_flops_per_core() * double(products) / double(machine.mxu.bf16_products);
}

/// Smaller dots, and convolutions, have ways that fill a matrix unit better.
bool is_padded_alone(const ClassedProduct& product) {
  constexpr std::int64_t least = 64;
  return product.opcode == hlo::Opcode::dot && std::ranges::all_of(product.arrays, [](const ClassedArray& array) {
           return array.sizes.size() > 1 &&
                  std::ranges::all_of(array.sizes, [](std::int64_t size) { return size >= least; });
         });
}

}  // namespace

double least_step_s(const ShardingPlan& plan, const hlo::spmd::propagate::ClassedProgram& program,
                    const TargetMachine& machine, bool sharded_updates) {
  double flops = 0;
  for (const ClassedProduct& product : program.products) {
    AxisSet any = 0;
    for (const ClassedArray& array : product.arrays) any = AxisSet(any | axes_of(plan, array));
    const double padding = is_padded_alone(product) ? least_padding(product, machine) : 1;
    flops += product.count * product.flops * padding / double(plan.size(any));
  }
  double kept_bytes = 0;
  for (const hlo::spmd::propagate::KeptArrays& kept : program.kept) {
    if (!kept.rewritten || sharded_updates) continue;
    kept_bytes += kept.count * kept.array.bytes / double(plan.size(axes_of(plan, kept.array)));
  }
  return std::max(flops / fastest_rate(machine), 2 * kept_bytes / machine.hbm.stream_rate.si());
}

}  // namespace podsim::sw::plans
