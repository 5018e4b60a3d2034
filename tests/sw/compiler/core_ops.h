// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "sw/compiler/fusion.h"
#include "sw/compiler/layout_assignment.h"
#include "sw/compiler/op_work.h"
#include "sw/graph/graph_builder.h"
#include "tests/hw/test_machine.h"

/// Graphs of one op each, and the ops of a graph.
namespace podsim::sw::testing {

/// The work of every core op of a module, laid out and fused, in program order.
inline std::vector<OpWork> works_of(Module module, const hw::Machine& machine) {
  assign_layouts(module.computations[module.entry]);
  Module fused = fuse(module);
  const Computation& entry = fused.entry_computation();
  std::vector<OpWork> works;
  for (InstructionId id = 0; id < InstructionId(entry.instructions.size()); ++id) {
    if (is_core_op(entry[id])) works.push_back(op_work(fused, entry, id, machine));
  }
  return works;
}

inline Module matrix_product(std::int64_t m, std::int64_t k, std::int64_t n, ElementType type = ElementType::bf16) {
  GraphBuilder b("product");
  InstructionId x = b.parameter(make_shape(type, {m, k}), "x");
  InstructionId y = b.parameter(make_shape(type, {k, n}), "y");
  return std::move(b).build(b.dot(x, y, {{}, {}, {1}, {0}}));
}

struct ConvolutionCase {
  std::int64_t batch, size, in, out, window;
  std::int64_t stride = 1;
};

inline std::vector<WindowDimension> square_window(const ConvolutionCase& c) {
  std::int64_t pad = (c.window - 1) / 2;
  WindowDimension w{.size = c.window, .stride = c.stride, .padding_low = pad, .padding_high = pad};
  return {w, w};
}

/// A convolution in bf16 of kernels kept in f32, with the two sums that batch normalisation takes of its output.
inline Module convolution_with_statistics(const ConvolutionCase& c) {
  GraphBuilder b("convolution");
  InstructionId x = b.parameter(make_shape(ElementType::bf16, {c.batch, c.size, c.size, c.in}), "x");
  InstructionId k = b.parameter(make_shape(ElementType::f32, {c.window, c.window, c.in, c.out}), "k");
  InstructionId y =
      b.convolution(x, b.convert(k, ElementType::bf16), square_window(c), convolution_dimensions("b01f_01io->b01f"));
  InstructionId wide = b.convert(y, ElementType::f32);
  InstructionId sum = b.reduce_add(wide, {0, 1, 2});
  InstructionId squares = b.reduce_add(b.multiply(wide, wide), {0, 1, 2});
  return std::move(b).build(b.tuple({y, sum, squares}));
}

/// The gradient of a convolution's kernel, after the convolution itself, which decides the layouts.
inline Module kernel_gradient(const ConvolutionCase& c) {
  GraphBuilder b("gradient");
  InstructionId x = b.parameter(make_shape(ElementType::bf16, {c.batch, c.size, c.size, c.in}), "x");
  InstructionId g = b.parameter(make_shape(ElementType::bf16, {c.batch, c.size, c.size, c.out}), "g");
  InstructionId k = b.parameter(make_shape(ElementType::bf16, {c.window, c.window, c.in, c.out}), "k");
  InstructionId forward = b.convolution(x, k, square_window(c), convolution_dimensions("b01f_01io->b01f"));
  std::int64_t pad = (c.window - 1) / 2;
  WindowDimension w{.size = c.size, .padding_low = pad, .padding_high = pad};
  InstructionId gradient = b.convolution(x, g, {w, w}, convolution_dimensions("f01b_i01o->01bf"));
  return std::move(b).build(b.tuple({forward, gradient}));
}

/// relu(x * scale) in bf16, row-major: one read, one write.
inline Module scaled_relu(std::vector<std::int64_t> sizes) {
  GraphBuilder b("relu");
  InstructionId x = b.parameter(make_shape(ElementType::bf16, sizes), "x");
  InstructionId scale = b.parameter(make_shape(ElementType::f32, {sizes.back()}), "scale");
  InstructionId wide = b.convert(x, ElementType::f32);
  InstructionId y = b.multiply(wide, b.broadcast(scale, sizes, {std::int64_t(sizes.size()) - 1}));
  return std::move(b).build(b.convert(b.maximum(y, b.full_like(y, 0)), ElementType::bf16));
}

}  // namespace podsim::sw::testing
