// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout_assignment.h"

#include <algorithm>
#include <map>

#include "base/units.h"

namespace podsim::sw {
namespace {

constexpr std::int64_t kLanes = 128;

/// How much larger `extent` gets when padded to the lanes.
double lane_waste(std::int64_t extent) { return double(base::round_up(extent, kLanes)) / double(extent); }

std::vector<int> image_layout(const std::vector<std::int64_t>& dimensions, int batch, int feature) {
  bool batch_in_lanes = lane_waste(dimensions[batch]) < lane_waste(dimensions[feature]);
  std::vector<int> layout = batch_in_lanes ? std::vector{batch, feature} : std::vector{feature, batch};
  for (int d = int(dimensions.size()) - 1; d >= 0; --d) {
    if (d != batch && d != feature) layout.push_back(d);
  }
  return layout;
}

}  // namespace

void assign_layouts(Computation& computation) {
  std::map<std::vector<std::int64_t>, std::vector<int>> layouts;
  auto choose = [&](const Shape& shape, int batch, int feature) {
    layouts.try_emplace(shape.dimensions, image_layout(shape.dimensions, batch, feature));
  };
  for (const Instruction& instruction : computation.instructions) {
    if (instruction.opcode != Opcode::convolution) continue;
    const ConvolutionDimensions& dims = instruction.convolution;
    choose(computation[instruction.operands[0]].shape, dims.input_batch, dims.input_feature);
    choose(instruction.shape, dims.output_batch, dims.output_feature);
    choose(computation[instruction.operands[1]].shape, dims.kernel_input_feature, dims.kernel_output_feature);
  }
  auto apply = [&](Shape& shape) {
    if (auto found = layouts.find(shape.dimensions); found != layouts.end()) shape.minor_to_major = found->second;
  };
  for (Instruction& instruction : computation.instructions) {
    apply(instruction.shape);
    std::ranges::for_each(instruction.shape.tuple_shapes, apply);
  }
}

}  // namespace podsim::sw
