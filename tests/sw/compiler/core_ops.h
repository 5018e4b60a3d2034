// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "sw/compiler/fuse/fusion.h"
#include "sw/compiler/fuse/layout_assignment.h"
#include "sw/compiler/tiles/core_op.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/target_machine.h"
#include "tests/hw/test_machine.h"

/// Graphs of one op each, and the ops of a graph.
namespace podsim::sw::compiler::testing {

/// The work of every core op of a module, laid out and fused, in program order.
inline std::vector<tiles::OpWork> works_of(hlo::Module module, const sw::TargetMachine& machine) {
  fuse::assign_layouts(module);
  hlo::Module fused = fuse::fuse(module);
  const hlo::Computation& entry = fused.entry_computation();
  std::vector<tiles::OpWork> works;
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry.instructions.size()); ++id) {
    if (tiles::is_core_op(entry[id])) works.push_back(tiles::op_work(fused, entry, id, machine));
  }
  return works;
}

inline hlo::Module matrix_product(std::int64_t m, std::int64_t k, std::int64_t n,
                                  hlo::ElementType type = hlo::ElementType::bf16) {
  hlo::build::GraphBuilder b("product");
  hlo::InstructionId x = b.parameter(hlo::make_shape(type, {m, k}), "x");
  hlo::InstructionId y = b.parameter(hlo::make_shape(type, {k, n}), "y");
  return std::move(b).build(b.dot(x, y, {{}, {}, {1}, {0}}));
}

struct ConvolutionCase {
  std::int64_t batch, size, in, out, window;
  std::int64_t stride = 1;
};

inline std::vector<hlo::WindowDimension> square_window(const ConvolutionCase& c) {
  std::int64_t pad = (c.window - 1) / 2;
  hlo::WindowDimension w{.size = c.window, .stride = c.stride, .padding_low = pad, .padding_high = pad};
  return {w, w};
}

/// A convolution in bf16 of kernels kept in f32, with the two sums that batch normalisation takes of its output.
inline hlo::Module convolution_with_statistics(const ConvolutionCase& c) {
  hlo::build::GraphBuilder b("convolution");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {c.batch, c.size, c.size, c.in}), "x");
  hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::f32, {c.window, c.window, c.in, c.out}), "k");
  hlo::InstructionId y = b.convolution(x, b.convert(k, hlo::ElementType::bf16), square_window(c),
                                       hlo::build::convolution_dimensions("b01f_01io->b01f"));
  hlo::InstructionId wide = b.convert(y, hlo::ElementType::f32);
  hlo::InstructionId sum = b.reduce_add(wide, {0, 1, 2});
  hlo::InstructionId squares = b.reduce_add(b.multiply(wide, wide), {0, 1, 2});
  return std::move(b).build(b.tuple({y, sum, squares}));
}

/// The gradient of a convolution's kernel, after the convolution itself, which determines the layouts.
inline hlo::Module kernel_gradient(const ConvolutionCase& c) {
  hlo::build::GraphBuilder b("gradient");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {c.batch, c.size, c.size, c.in}), "x");
  hlo::InstructionId g = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {c.batch, c.size, c.size, c.out}), "g");
  hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {c.window, c.window, c.in, c.out}), "k");
  hlo::InstructionId forward =
      b.convolution(x, k, square_window(c), hlo::build::convolution_dimensions("b01f_01io->b01f"));
  std::int64_t pad = (c.window - 1) / 2;
  hlo::WindowDimension w{.size = c.size, .padding_low = pad, .padding_high = pad};
  hlo::InstructionId gradient = b.convolution(x, g, {w, w}, hlo::build::convolution_dimensions("f01b_i01o->01bf"));
  return std::move(b).build(b.tuple({forward, gradient}));
}

/// relu(x * scale) in bf16, row-major: one read, one write.
inline hlo::Module scaled_relu(std::vector<std::int64_t> sizes) {
  hlo::build::GraphBuilder b("relu");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, sizes), "x");
  hlo::InstructionId scale = b.parameter(hlo::make_shape(hlo::ElementType::f32, {sizes.back()}), "scale");
  hlo::InstructionId wide = b.convert(x, hlo::ElementType::f32);
  hlo::InstructionId y = b.multiply(wide, b.broadcast(scale, sizes, {std::int64_t(sizes.size()) - 1}));
  return std::move(b).build(b.convert(b.maximum(y, b.full_like(y, 0)), hlo::ElementType::bf16));
}

}  // namespace podsim::sw::compiler::testing
