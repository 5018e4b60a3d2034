// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/eval/index_space.h"
#include "hlo/graph.h"
#include "hlo/literal.h"
#include "hlo/rules/shape_inference.h"

/// Random small convolutions, and a second definition of a convolution.
namespace podsim::hlo::testing {

struct RandomConvolution {
  std::vector<std::int64_t> input, kernel;
  std::vector<WindowDimension> window;
  ConvolutionDimensions dimensions;
  std::int64_t feature_groups = 1, batch_groups = 1;

  InstructionId write(build::GraphBuilder& b, InstructionId x, InstructionId w) const {
    Instruction convolution;
    convolution.opcode = Opcode::convolution;
    convolution.shape.element_type = b.type(x);
    convolution.operands = {x, w};
    convolution.window = window;
    convolution.convolution = dimensions;
    convolution.feature_groups = feature_groups;
    convolution.batch_groups = batch_groups;
    return b.add(std::move(convolution));
  }
};

inline rc::Gen<WindowDimension> random_window() {
  return rc::gen::exec([] {
    WindowDimension window;
    window.size = *rc::gen::inRange(1, 5);
    window.stride = *rc::gen::inRange(1, 4);
    window.base_dilation = *rc::gen::inRange(1, 4);
    window.window_dilation = *rc::gen::inRange(1, 4);
    window.padding_low = *rc::gen::inRange(-1, 5);
    window.padding_high = *rc::gen::inRange(-1, 5);
    window.window_reversal = *rc::gen::arbitrary<bool>();
    return window;
  });
}

/// Some permutation of the dimensions: the first two numbers are roles, the rest spatial.
inline std::vector<int> random_roles(int rank) {
  std::vector<int> roles(rank);
  std::iota(roles.begin(), roles.end(), 0);
  for (int i = rank - 1; i > 0; --i) std::swap(roles[i], roles[*rc::gen::inRange(0, i + 1)]);
  return roles;
}

/// One to three spatial dimensions, any attributes, groups and dimension numbers, with at least one output.
inline rc::Gen<RandomConvolution> random_convolution() {
  return rc::gen::exec([] {
    const int spatial = *rc::gen::weightedElement<int>({{4, 1}, {4, 2}, {1, 3}});
    const int rank = spatial + 2;
    const auto in = random_roles(rank), kernel = random_roles(rank), out = random_roles(rank);
    RandomConvolution random;
    random.input.resize(rank);
    random.kernel.resize(rank);
    random.dimensions = {in[0],     in[1],     {in.begin() + 2, in.end()},
                         kernel[0], kernel[1], {kernel.begin() + 2, kernel.end()},
                         out[0],    out[1],    {out.begin() + 2, out.end()}};
    const std::int64_t groups = *rc::gen::inRange(1, 4);
    (*rc::gen::arbitrary<bool>() ? random.feature_groups : random.batch_groups) = groups;
    random.input[in[0]] = random.batch_groups * *rc::gen::inRange(1, 3);
    random.kernel[kernel[0]] = *rc::gen::inRange(1, 4);
    random.input[in[1]] = random.feature_groups * random.kernel[kernel[0]];
    random.kernel[kernel[1]] = groups * *rc::gen::inRange(1, 4);
    for (int i = 0; i < spatial; ++i) {
      WindowDimension window = *random_window();
      const std::int64_t size = *rc::gen::inRange(1, spatial == 3 ? 4 : 7);
      while (rules::window_output_size(size, window) == 0) ++window.padding_high;
      random.input[in[2 + i]] = size;
      random.kernel[kernel[2 + i]] = window.size;
      random.window.push_back(window);
    }
    return random;
  });
}

/// Element of a row-major literal.
inline double& element(Literal& literal, const std::vector<std::int64_t>& index) {
  std::int64_t position = 0;
  for (std::size_t i = 0; i < index.size(); ++i) position = position * literal.shape.dimensions[i] + index[i];
  return literal.values[position];
}

/// The definition step by step: scatters every input element to its dilated, padded position, and combines it with
/// every kernel element whose output exists. (The evaluator gathers; this scatters.) Output features are divided among
/// the groups; an input element belongs to the group of its feature, or of its sample, and meets that group's kernels.
inline Literal naive_convolution(const Instruction& instruction, Literal input, Literal kernel) {
  const ConvolutionDimensions& roles = instruction.convolution;
  const Shape& shape = instruction.shape;
  Literal result{shape, std::vector<double>(shape.element_count(), 0), {}};
  std::vector<std::int64_t> out(shape.dimensions.size());
  eval::for_each_index(input.shape.dimensions, [&](const auto& in) {
    eval::for_each_index(kernel.shape.dimensions, [&](const auto& at) {
      const std::int64_t depth = kernel.shape.dimensions[roles.kernel_input_feature];
      const std::int64_t samples = input.shape.dimensions[roles.input_batch] / instruction.batch_groups;
      const std::int64_t group = in[roles.input_feature] / depth + in[roles.input_batch] / samples;
      const std::int64_t groups = instruction.feature_groups * instruction.batch_groups;
      const std::int64_t features = kernel.shape.dimensions[roles.kernel_output_feature] / groups;
      if (in[roles.input_feature] % depth != at[roles.kernel_input_feature]) return;
      if (at[roles.kernel_output_feature] / features != group) return;
      out[roles.output_batch] = in[roles.input_batch] % samples;
      out[roles.output_feature] = at[roles.kernel_output_feature];
      for (std::size_t i = 0; i < instruction.window.size(); ++i) {
        const WindowDimension& w = instruction.window[i];
        const std::int64_t tap =
            w.window_reversal ? w.size - 1 - at[roles.kernel_spatial[i]] : at[roles.kernel_spatial[i]];
        const std::int64_t start =
            w.padding_low + in[roles.input_spatial[i]] * w.base_dilation - tap * w.window_dilation;
        if (start < 0 || start % w.stride != 0) return;
        if (start / w.stride >= shape.dimensions[roles.output_spatial[i]]) return;
        out[roles.output_spatial[i]] = start / w.stride;
      }
      element(result, out) += element(input, in) * element(kernel, at);
    });
  });
  return result;
}

}  // namespace podsim::hlo::testing
