// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "hlo/transform/gradient.h"
#include "workloads/pipelines/pipelined_mlp.h"

/// The network of pipelined_mlp.h without a pipeline.
namespace podsim::workloads::testing {

/// Sizes for the evaluator, in double precision.
inline pipelines::PipelinedMlpOptions exact(std::int64_t stages, std::int64_t microbatches, std::int64_t layers) {
  pipelines::PipelinedMlpOptions options;
  options.stages = stages;
  options.microbatches = microbatches;
  options.layers = layers;
  options.microbatch = 2;
  options.width = 3;
  options.precision = {hlo::ElementType::f64, hlo::ElementType::f64};
  options.gradient_type = hlo::ElementType::f64;
  return options;
}

/// The same step without a pipeline: all layers on the whole batch, its gradients by differentiation. Parameters:
/// kernels, momenta, learning rate, inputs, targets.
inline hlo::Module whole_step(const pipelines::PipelinedMlpOptions& o) {
  hlo::build::GraphBuilder b("whole");
  const auto type = hlo::ElementType::f64;
  const std::int64_t rows = o.pipelines * o.microbatches * o.microbatch;
  std::vector<hlo::InstructionId> kernels, momenta;
  for (std::int64_t i = 0; i < o.layers; ++i) {
    kernels.push_back(b.parameter(hlo::make_shape(type, {o.width, o.width}), fmt::format("k{}", i)));
  }
  for (std::int64_t i = 0; i < o.layers; ++i) {
    momenta.push_back(b.parameter(hlo::make_shape(type, {o.width, o.width}), fmt::format("m{}", i)));
  }
  const hlo::InstructionId rate = b.parameter(hlo::make_shape(type, {}), "rate");
  hlo::InstructionId x = b.parameter(hlo::make_shape(type, {rows, o.width}), "x");
  const hlo::InstructionId target = b.parameter(hlo::make_shape(type, {rows, o.width}), "t");
  for (hlo::InstructionId kernel : kernels) {
    const hlo::InstructionId y = b.dot(x, kernel, {{}, {}, {1}, {0}});
    x = b.maximum(y, b.full_like(y, 0));
  }
  const hlo::InstructionId error = b.subtract(x, target);
  const hlo::InstructionId loss =
      b.divide(b.reduce_add(b.multiply(error, error), {0, 1}), b.constant(type, double(rows * o.width)));
  const std::vector<hlo::InstructionId> gradients = hlo::transform::gradients(b, loss, kernels);
  std::vector<hlo::InstructionId> results, velocities;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Update updated =
        update(b, o.optimizer, {kernels[i], "k", true}, gradients[i], std::vector{momenta[i]}, {rate, -1});
    results.push_back(updated.value);
    velocities.push_back(updated.slots[0]);
  }
  results.insert(results.end(), velocities.begin(), velocities.end());
  results.push_back(loss);
  const hlo::InstructionId root = b.tuple(results);
  return std::move(b).build(root);
}

}  // namespace podsim::workloads::testing
