// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/elementwise_chain.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace podsim::sw::codegen::families::stream {

using Op = hw::isa::Opcode;

namespace {

using Code = builder::KernelBuilder;
using Graph = hlo::build::GraphBuilder;

/// The factor of scale_add_relu; not a power of two, so that the product is rounded.
constexpr float scale = 0.3F;
constexpr float gelu_cubic = 0.044715F;
constexpr float gelu_slope = 0.7978845608F;  ///< sqrt(2 / pi)

/// Rounding steps. An IEEE operation is rounded once, as in the reference. The transcendental unit is accurate to two
/// ulp (docs/isa.md), which is four steps, and the reference rounds by half a unit.
constexpr double exact = 1;
constexpr double transcendental = 5;
/// A reciprocal and a product.
constexpr double division = 6;

registers::VectorReg gelu_code(Code& b, registers::VectorReg x, registers::VectorReg) {
  const registers::VectorReg square = b.op(Op::v_mul_f32, x, x);
  const registers::VectorReg cubic = b.op(Op::v_mul_f32, b.op(Op::v_mul_f32, square, x), gelu_cubic);
  const registers::VectorReg inner = b.op(Op::v_mul_f32, b.op(Op::v_add_f32, x, cubic), gelu_slope);
  const registers::VectorReg bend = b.op(Op::v_add_f32, b.transcendental(Op::e_tanh, inner), 1.0F);
  return b.op(Op::v_mul_f32, b.op(Op::v_mul_f32, x, 0.5F), bend);
}

hlo::InstructionId gelu_graph(Graph& g, hlo::InstructionId x, hlo::InstructionId) {
  const hlo::InstructionId cubic = g.multiply(g.multiply(g.multiply(x, x), x), g.full_like(x, gelu_cubic));
  const hlo::InstructionId inner = g.multiply(g.add(x, cubic), g.full_like(x, gelu_slope));
  return g.multiply(g.multiply(x, g.full_like(x, 0.5)), g.add(g.tanh(inner), g.full_like(x, 1)));
}

registers::VectorReg sigmoid_code(Code& b, registers::VectorReg x, registers::VectorReg) {
  const registers::VectorReg decay = b.transcendental(Op::e_exp, b.op(Op::v_mul_f32, x, -1.0F));
  return b.transcendental(Op::e_recip, b.op(Op::v_add_f32, decay, 1.0F));
}

hlo::InstructionId sigmoid_graph(Graph& g, hlo::InstructionId x, hlo::InstructionId) {
  const hlo::InstructionId one = g.full_like(x, 1);
  return g.divide(one, g.add(g.exponential(g.negate(x)), one));
}

registers::VectorReg scale_add_relu_code(Code& b, registers::VectorReg x, registers::VectorReg y) {
  return b.op(Op::v_max_f32, b.op(Op::v_add_f32, b.op(Op::v_mul_f32, x, scale), y), 0.0F);
}

hlo::InstructionId scale_add_relu_graph(Graph& g, hlo::InstructionId x, hlo::InstructionId y) {
  return g.maximum(g.add(g.multiply(x, g.full_like(x, scale)), y), g.full_like(x, 0));
}

const std::vector<ElementwiseChain>& chains() {
  static const std::vector<ElementwiseChain> all{
      {"add",
       "x + y",
       2,
       [](Code& b, registers::VectorReg x, registers::VectorReg y) { return b.op(Op::v_add_f32, x, y); },
       [](Graph& g, hlo::InstructionId x, hlo::InstructionId y) { return g.add(x, y); },
       {.alu_ops = 1},
       exact},
      {"multiply",
       "x y",
       2,
       [](Code& b, registers::VectorReg x, registers::VectorReg y) { return b.op(Op::v_mul_f32, x, y); },
       [](Graph& g, hlo::InstructionId x, hlo::InstructionId y) { return g.multiply(x, y); },
       {.alu_ops = 1},
       exact},
      {"add_relu",
       "max(x + y, 0)",
       2,
       [](Code& b, registers::VectorReg x, registers::VectorReg y) {
         return b.op(Op::v_max_f32, b.op(Op::v_add_f32, x, y), 0.0F);
       },
       [](Graph& g, hlo::InstructionId x, hlo::InstructionId y) { return g.maximum(g.add(x, y), g.full_like(x, 0)); },
       {.alu_ops = 2},
       exact},
      {"scale_add_relu", "max(0.3 x + y, 0)", 2, scale_add_relu_code, scale_add_relu_graph, {.alu_ops = 3}, exact},
      {"relu",
       "max(x, 0)",
       1,
       [](Code& b, registers::VectorReg x, registers::VectorReg) { return b.op(Op::v_max_f32, x, 0.0F); },
       [](Graph& g, hlo::InstructionId x, hlo::InstructionId) { return g.maximum(x, g.full_like(x, 0)); },
       {.alu_ops = 1},
       exact},
      {"gelu",
       "x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))",
       1,
       gelu_code,
       gelu_graph,
       {.alu_ops = 9, .transcendentals = 1},
       transcendental},
      {"sigmoid", "1 / (1 + exp(-x))", 1, sigmoid_code, sigmoid_graph, {.alu_ops = 4, .transcendentals = 2}, division},
      {"tanh",
       "tanh(x)",
       1,
       [](Code& b, registers::VectorReg x, registers::VectorReg) { return b.transcendental(Op::e_tanh, x); },
       [](Graph& g, hlo::InstructionId x, hlo::InstructionId) { return g.tanh(x); },
       {.alu_ops = 1, .transcendentals = 1},
       transcendental},
      {"exp",
       "exp(x)",
       1,
       [](Code& b, registers::VectorReg x, registers::VectorReg) { return b.transcendental(Op::e_exp, x); },
       [](Graph& g, hlo::InstructionId x, hlo::InstructionId) { return g.exponential(x); },
       {.alu_ops = 1, .transcendentals = 1},
       transcendental},
  };
  return all;
}

}  // namespace

std::span<const ElementwiseChain> elementwise_chains() { return chains(); }

const ElementwiseChain& elementwise_chain(const std::string& name) {
  const auto found = std::ranges::find(chains(), name, &ElementwiseChain::name);
  assert(found != chains().end());
  return *found;
}

}  // namespace podsim::sw::codegen::families::stream
