// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "sw/compiler/fuse/fusion.h"
#include "sw/compiler/fuse/layout_assignment.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/ir/build/graph_builder.h"
#include "tests/hw/test_machine.h"

/// Graphs of one op each, and the ops of a graph.
namespace podsim::sw::compiler::testing {

/// The work of every core op of a module, laid out and fused, in program order.
inline std::vector<tiles::OpWork> works_of(ir::Module module, const hw::Machine& machine) {
  fuse::assign_layouts(module.computations[module.entry]);
  ir::Module fused = fuse::fuse(module);
  const ir::Computation& entry = fused.entry_computation();
  std::vector<tiles::OpWork> works;
  for (ir::InstructionId id = 0; id < ir::InstructionId(entry.instructions.size()); ++id) {
    if (tiles::is_core_op(entry[id])) works.push_back(tiles::op_work(fused, entry, id, machine));
  }
  return works;
}

inline ir::Module matrix_product(std::int64_t m, std::int64_t k, std::int64_t n,
                                 ir::ElementType type = ir::ElementType::bf16) {
  ir::build::GraphBuilder b("product");
  ir::InstructionId x = b.parameter(ir::make_shape(type, {m, k}), "x");
  ir::InstructionId y = b.parameter(ir::make_shape(type, {k, n}), "y");
  return std::move(b).build(b.dot(x, y, {{}, {}, {1}, {0}}));
}

struct ConvolutionCase {
  std::int64_t batch, size, in, out, window;
  std::int64_t stride = 1;
};

inline std::vector<ir::WindowDimension> square_window(const ConvolutionCase& c) {
  std::int64_t pad = (c.window - 1) / 2;
  ir::WindowDimension w{.size = c.window, .stride = c.stride, .padding_low = pad, .padding_high = pad};
  return {w, w};
}

/// A convolution in bf16 of kernels kept in f32, with the two sums that batch normalisation takes of its output.
inline ir::Module convolution_with_statistics(const ConvolutionCase& c) {
  ir::build::GraphBuilder b("convolution");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::bf16, {c.batch, c.size, c.size, c.in}), "x");
  ir::InstructionId k = b.parameter(ir::make_shape(ir::ElementType::f32, {c.window, c.window, c.in, c.out}), "k");
  ir::InstructionId y = b.convolution(x, b.convert(k, ir::ElementType::bf16), square_window(c),
                                      ir::build::convolution_dimensions("b01f_01io->b01f"));
  ir::InstructionId wide = b.convert(y, ir::ElementType::f32);
  ir::InstructionId sum = b.reduce_add(wide, {0, 1, 2});
  ir::InstructionId squares = b.reduce_add(b.multiply(wide, wide), {0, 1, 2});
  return std::move(b).build(b.tuple({y, sum, squares}));
}

/// The gradient of a convolution's kernel, after the convolution itself, which determines the layouts.
inline ir::Module kernel_gradient(const ConvolutionCase& c) {
  ir::build::GraphBuilder b("gradient");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::bf16, {c.batch, c.size, c.size, c.in}), "x");
  ir::InstructionId g = b.parameter(ir::make_shape(ir::ElementType::bf16, {c.batch, c.size, c.size, c.out}), "g");
  ir::InstructionId k = b.parameter(ir::make_shape(ir::ElementType::bf16, {c.window, c.window, c.in, c.out}), "k");
  ir::InstructionId forward =
      b.convolution(x, k, square_window(c), ir::build::convolution_dimensions("b01f_01io->b01f"));
  std::int64_t pad = (c.window - 1) / 2;
  ir::WindowDimension w{.size = c.size, .padding_low = pad, .padding_high = pad};
  ir::InstructionId gradient = b.convolution(x, g, {w, w}, ir::build::convolution_dimensions("f01b_i01o->01bf"));
  return std::move(b).build(b.tuple({forward, gradient}));
}

/// relu(x * scale) in bf16, row-major: one read, one write.
inline ir::Module scaled_relu(std::vector<std::int64_t> sizes) {
  ir::build::GraphBuilder b("relu");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::bf16, sizes), "x");
  ir::InstructionId scale = b.parameter(ir::make_shape(ir::ElementType::f32, {sizes.back()}), "scale");
  ir::InstructionId wide = b.convert(x, ir::ElementType::f32);
  ir::InstructionId y = b.multiply(wide, b.broadcast(scale, sizes, {std::int64_t(sizes.size()) - 1}));
  return std::move(b).build(b.convert(b.maximum(y, b.full_like(y, 0)), ir::ElementType::bf16));
}

}  // namespace podsim::sw::compiler::testing
