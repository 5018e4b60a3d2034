// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/householder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hlo/build/counted_loop.h"
#include "hlo/expanders/matrices.h"

namespace podsim::hlo::expanders {
namespace {

using build::GraphBuilder;
using build::LoopState;
using enum ComparisonDirection;

/// A reflector that leaves `beta` of a column at row j and 0 below; v has 1 at row j and 0 above.
struct Reflector {
  InstructionId v, tau, beta;
};

Reflector reflector_of(GraphBuilder& b, InstructionId column, InstructionId j) {
  const InstructionId rows = row_numbers(b, b.shape(column).dimensions);
  const InstructionId place = b.broadcast(j, b.shape(column).dimensions);
  const InstructionId below = b.select(b.compare(rows, place, gt), column, b.full_like(column, 0));
  const InstructionId sum = column_sums(b, b.multiply(below, below));
  const InstructionId alpha = matrix_part(b, column, j, b.constant(ElementType::s32, 0), 1, 1);
  const InstructionId zero = b.full_like(alpha, 0), one = b.full_like(alpha, 1);
  const InstructionId is_done = b.compare(sum, zero, eq);
  const InstructionId norm = b.sqrt(b.add(b.multiply(alpha, alpha), sum));
  const InstructionId other_sign = b.select(b.compare(alpha, zero, lt), norm, b.negate(norm));
  const InstructionId beta = b.select(is_done, alpha, other_sign);
  const InstructionId tau =
      b.select(is_done, zero, b.divide(b.subtract(beta, alpha), b.select(is_done, one, other_sign)));
  const InstructionId scale = b.select(is_done, one, b.subtract(alpha, other_sign));
  const InstructionId scaled = b.divide(below, repeated(b, scale, b.shape(below).dimensions));
  return {b.select(b.compare(rows, place, eq), b.full_like(column, 1), scaled), tau, beta};
}

/// One more reflector: of column j, applied to the columns right of it.
LoopState with_reflector(GraphBuilder& b, InstructionId j, const LoopState& state) {
  const InstructionId a = state[0], first = b.constant(ElementType::s32, 0);
  const InstructionId column = matrix_part(b, a, first, j, row_count(b, a), 1);
  const Reflector h = reflector_of(b, column, j);
  const InstructionId products = matrix_product(b, {h.v, true}, {a});
  const std::vector<std::int64_t> row = b.shape(products).dimensions, whole = b.shape(a).dimensions;
  const InstructionId is_right = b.compare(column_numbers(b, row), b.broadcast(j, row), gt);
  const InstructionId scaled =
      b.multiply(b.select(is_right, products, b.full_like(products, 0)), repeated(b, h.tau, row));
  const InstructionId reflected = b.subtract(a, b.multiply(repeated(b, h.v, whole), repeated(b, scaled, whole)));
  const std::vector<std::int64_t> sizes = b.shape(column).dimensions;
  const InstructionId rows = row_numbers(b, sizes), place = b.broadcast(j, sizes);
  const InstructionId stored = b.select(b.compare(rows, place, eq), repeated(b, h.beta, sizes),
                                        b.select(b.compare(rows, place, gt), h.v, column));
  return {with_matrix_part(b, reflected, stored, first, j), with_matrix_part(b, state[1], h.tau, first, j)};
}

/// The reflectors that are stored below the diagonal, with their ones.
InstructionId reflectors_of(GraphBuilder& b, InstructionId panel) {
  const std::vector<std::int64_t> sizes = b.shape(panel).dimensions;
  const InstructionId rows = row_numbers(b, sizes), columns = column_numbers(b, sizes);
  const InstructionId below = b.select(b.compare(rows, columns, gt), panel, b.full_like(panel, 0));
  return b.select(b.compare(rows, columns, eq), b.full_like(panel, 1), below);
}

/// T of H_1 .. H_k = 1 - V T V^T: column j is -tau_j T (V^T v_j) above the diagonal, tau_j on it.
InstructionId triangle_of(GraphBuilder& b, InstructionId v, InstructionId taus) {
  const InstructionId products = matrix_product(b, {v, true}, {v});
  const auto step = [](GraphBuilder& body, InstructionId j, const LoopState& state) -> LoopState {
    const InstructionId first = body.constant(ElementType::s32, 0);
    const InstructionId column = matrix_part(body, state[0], first, j, row_count(body, state[0]), 1);
    const std::vector<std::int64_t> sizes = body.shape(column).dimensions;
    const InstructionId rows = row_numbers(body, sizes), place = body.broadcast(j, sizes);
    const InstructionId above = body.select(body.compare(rows, place, lt), column, body.full_like(column, 0));
    const InstructionId tau = repeated(body, matrix_part(body, state[1], first, j, 1, 1), sizes);
    const InstructionId scaled = body.multiply(body.negate(tau), matrix_product(body, {state[2]}, {above}));
    const InstructionId next = body.select(body.compare(rows, place, eq), tau, scaled);
    return {state[0], state[1], with_matrix_part(body, state[2], next, first, j)};
  };
  return build::counted_loop(b, "triangle_of_reflectors", column_count(b, v),
                             {products, taus, b.full_like(products, 0)}, step)[2];
}

/// (1 - V T V^T) x, or with T^T for T.
InstructionId reflected(GraphBuilder& b, InstructionId v, Factor triangle, InstructionId x) {
  const InstructionId inner = matrix_product(b, triangle, {matrix_product(b, {v, true}, {x})});
  return b.subtract(x, matrix_product(b, {v}, {inner}));
}

}  // namespace

std::optional<Module> expansion_of_qr(const Computation& computation, InstructionId id) {
  const Instruction& call = computation[id];
  if (!is_call_on_matrices(computation, call, "Qr", 1) || !call.shape.is_tuple()) return std::nullopt;
  GraphBuilder b("qr");
  InstructionId a = b.parameter(computation[call.operands[0]].shape, "a");
  const std::int64_t m = row_count(b, a), n = column_count(b, a), count = std::min(m, n);
  InstructionId taus = b.full(make_shape(b.type(a), matrix_sizes(b, a, 1, count)), 0);
  for (std::int64_t i = 0; i < count; i += factorisation_block) {
    const std::int64_t width = std::min(factorisation_block, count - i);
    const InstructionId panel = matrix_slice(b, a, i, m, i, i + width);
    const InstructionId none = b.full(make_shape(b.type(a), matrix_sizes(b, a, 1, width)), 0);
    const LoopState done = build::counted_loop(b, "reflectors_of_panel", width, {panel, none}, with_reflector);
    a = with_matrix_slice(b, a, done[0], i, i);
    taus = with_matrix_slice(b, taus, done[1], 0, i);
    if (i + width == n) break;
    const InstructionId v = reflectors_of(b, done[0]);
    const InstructionId right = matrix_slice(b, a, i, m, i + width, n);
    a = with_matrix_slice(b, a, reflected(b, v, {triangle_of(b, v, done[1]), true}, right), i, i + width);
  }
  const std::vector<std::int64_t> sizes = call.shape.tuple_shapes[1].dimensions;
  const InstructionId root = b.tuple({a, b.reshape(taus, sizes)});
  return std::move(b).build(root);
}

std::optional<Module> expansion_of_reflectors(const Computation& computation, InstructionId id) {
  const Instruction& call = computation[id];
  if (!is_call_on_matrices(computation, call, "ProductOfElementaryHouseholderReflectors", 2)) return std::nullopt;
  GraphBuilder b("reflectors");
  const InstructionId a = b.parameter(computation[call.operands[0]].shape, "a");
  const InstructionId factors = b.parameter(computation[call.operands[1]].shape, "taus");
  const std::int64_t m = row_count(b, a), n = column_count(b, a), count = b.shape(factors).dimensions.back();
  if (m < n || count > n || count == 0) return std::nullopt;
  const InstructionId taus = b.reshape(factors, matrix_sizes(b, a, 1, count));
  InstructionId q = identities(b, b.type(a), b.shape(a).dimensions);
  for (std::int64_t i = (count - 1) / factorisation_block * factorisation_block; i >= 0; i -= factorisation_block) {
    const std::int64_t width = std::min(factorisation_block, count - i);
    const InstructionId v = reflectors_of(b, matrix_slice(b, a, i, m, i, i + width));
    const InstructionId triangle = triangle_of(b, v, matrix_slice(b, taus, 0, 1, i, i + width));
    q = with_matrix_slice(b, q, reflected(b, v, {triangle}, matrix_slice(b, q, i, m, i, n)), i, i);
  }
  return std::move(b).build(q);
}

}  // namespace podsim::hlo::expanders
