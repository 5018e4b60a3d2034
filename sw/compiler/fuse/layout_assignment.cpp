// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/layout_assignment.h"

#include <map>
#include <utility>

#include "base/units.h"
#include "hlo/array_tile.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// A layout with `first` in the lanes, `second` in the sublanes, and the others row-major.
std::vector<int> with_minor(int rank, int first, int second) {
  std::vector<int> layout{first, second};
  for (int d = rank - 1; d >= 0; --d) {
    if (d != first && d != second) layout.push_back(d);
  }
  return layout;
}

/// Whether an array is smaller in memory with one layout than with another.
bool is_smaller(hlo::Shape shape, const std::vector<int>& layout, const std::vector<int>& other) {
  shape.minor_to_major = layout;
  const base::Bytes bytes = hlo::padded_bytes(shape);
  shape.minor_to_major = other;
  return bytes < hlo::padded_bytes(shape);
}

std::vector<int> batch_and_feature_layout(const hlo::Shape& shape, int batch, int feature) {
  const std::vector<int> by_feature = with_minor(shape.rank(), feature, batch);
  const std::vector<int> by_batch = with_minor(shape.rank(), batch, feature);
  return is_smaller(shape, by_batch, by_feature) ? by_batch : by_feature;
}

std::vector<int> image_layout(const hlo::Shape& shape, int batch, int feature, const std::vector<int>& spatial) {
  const std::vector<int> usual = batch_and_feature_layout(shape, batch, feature);
  if (usual[1] != batch || shape.dimensions[batch] >= hlo::tile_sublanes || spatial.empty()) return usual;
  const std::vector<int> by_position = with_minor(shape.rank(), feature, spatial.back());
  return is_smaller(shape, by_position, usual) ? by_position : usual;
}

/// Layouts by dimensions; the first one for them counts.
using Layouts = std::map<std::vector<std::int64_t>, std::vector<int>>;

void choose_layouts(const hlo::Computation& computation, Layouts& layouts) {
  auto choose = [&](const hlo::Shape& shape, std::vector<int> layout) {
    layouts.try_emplace(shape.dimensions, std::move(layout));
  };
  for (const hlo::Instruction& instruction : computation.instructions) {
    if (instruction.opcode != hlo::Opcode::convolution) continue;
    const hlo::ConvolutionDimensions& dims = instruction.convolution;
    const hlo::Shape& input = computation[instruction.operands[0]].shape;
    const hlo::Shape& kernel = computation[instruction.operands[1]].shape;
    choose(input, image_layout(input, dims.input_batch, dims.input_feature, dims.input_spatial));
    choose(instruction.shape,
           image_layout(instruction.shape, dims.output_batch, dims.output_feature, dims.output_spatial));
    choose(kernel, batch_and_feature_layout(kernel, dims.kernel_input_feature, dims.kernel_output_feature));
  }
}

void give_layouts(const Layouts& layouts, hlo::Shape& shape) {
  if (const auto found = layouts.find(shape.dimensions); found != layouts.end() && !shape.is_tuple()) {
    shape.minor_to_major = found->second;
  }
  for (hlo::Shape& element : shape.tuple_shapes) give_layouts(layouts, element);
}

}  // namespace

void assign_layouts(hlo::Module& module) {
  const std::vector<bool> executed = hlo::executed_computations(module);
  Layouts layouts;
  for (std::size_t c = 0; c < executed.size(); ++c) {
    if (executed[c]) choose_layouts(module.computations[c], layouts);
  }
  if (layouts.empty()) return;
  for (std::size_t c = 0; c < executed.size(); ++c) {
    if (!executed[c]) continue;
    for (hlo::Instruction& instruction : module.computations[c].instructions) give_layouts(layouts, instruction.shape);
  }
}

}  // namespace podsim::sw::compiler::fuse
