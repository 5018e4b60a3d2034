// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/lstm_cell.h"

namespace podsim::workloads::layers {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

namespace {

constexpr double forget_bias = 1;

/// The four gates after their functions.
struct GateValues {
  InstructionId i, j, f, o;

  GateValues(hlo::build::GraphBuilder& b, InstructionId gates) {
    const std::int64_t batch = b.shape(gates).dimensions[0], units = b.shape(gates).dimensions[1] / 4;
    const auto part = [&](std::int64_t k) { return b.slice(gates, {{0, batch, 1}, {k * units, (k + 1) * units, 1}}); };
    const auto sigma = [&](InstructionId x) { return b.unary(hlo::Opcode::logistic, x); };
    i = sigma(part(0));
    j = b.tanh(part(1));
    const InstructionId kept = part(2);
    f = sigma(b.add(kept, b.full_like(kept, forget_bias)));
    o = sigma(part(3));
  }
};

}  // namespace

CellState lstm_cell(hlo::build::GraphBuilder& b, InstructionId gates, InstructionId c) {
  const GateValues g(b, gates);
  const InstructionId next = b.add(b.multiply(g.f, c), b.multiply(g.i, g.j));
  return {b.multiply(g.o, b.tanh(next)), next};
}

CellGradient lstm_cell_gradient(hlo::build::GraphBuilder& b, InstructionId gates, InstructionId before,
                                InstructionId after, InstructionId dh, InstructionId dc) {
  const GateValues g(b, gates);
  const auto rest = [&](InstructionId x) { return b.subtract(b.full_like(x, 1), x); };  // 1 - x
  const auto through_sigma = [&](InstructionId s) { return b.multiply(s, rest(s)); };   // s (1 - s)
  const auto through_tanh = [&](InstructionId y) { return rest(b.multiply(y, y)); };    // 1 - y^2
  const InstructionId bent = b.tanh(after);
  const InstructionId d_o = b.multiply(b.multiply(dh, bent), through_sigma(g.o));
  const InstructionId dnext = b.add(dc, b.multiply(b.multiply(dh, g.o), through_tanh(bent)));
  const InstructionId d_i = b.multiply(b.multiply(dnext, g.j), through_sigma(g.i));
  const InstructionId d_j = b.multiply(b.multiply(dnext, g.i), through_tanh(g.j));
  const InstructionId d_f = b.multiply(b.multiply(dnext, before), through_sigma(g.f));
  return {b.concatenate({d_i, d_j, d_f, d_o}, 1), b.multiply(dnext, g.f)};
}

}  // namespace podsim::workloads::layers
