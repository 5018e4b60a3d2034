// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/symmetric_eigenvalues.h"

#include <bit>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "hlo/build/counted_loop.h"
#include "hlo/expanders/matrices.h"

namespace podsim::hlo::expanders {
namespace {

using build::GraphBuilder;
using build::LoopState;
using enum ComparisonDirection;

/// The diagonals as [.., 1, n].
InstructionId diagonals(GraphBuilder& b, InstructionId x) {
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const InstructionId is_diagonal = b.compare(row_numbers(b, sizes), column_numbers(b, sizes), eq);
  return column_sums(b, b.select(is_diagonal, x, b.full_like(x, 0)));
}

struct Rotations {
  InstructionId cosines, sines;  ///< [.., n/2, 1]
};

/// Rotations of rows i and i + n/2 after which no element joins them.
Rotations rotations_of(GraphBuilder& b, InstructionId a) {
  const std::int64_t n = row_count(b, a), half = n / 2;
  const InstructionId p = diagonals(b, matrix_slice(b, a, 0, half, 0, half));
  const InstructionId q = diagonals(b, matrix_slice(b, a, half, n, half, n));
  const InstructionId joint = diagonals(b, matrix_slice(b, a, 0, half, half, n));
  const double epsilon = b.type(a) == ElementType::f64 ? std::numeric_limits<double>::epsilon()
                                                       : double(std::numeric_limits<float>::epsilon());
  const InstructionId least = b.multiply(b.minimum(b.abs(p), b.abs(q)), b.full_like(p, 0.1 * epsilon));
  const InstructionId is_small = b.compare(b.abs(joint), least, le);
  const InstructionId zero = b.full_like(p, 0), one = b.full_like(p, 1);
  const InstructionId tau = b.divide(b.subtract(q, p), b.multiply(b.full_like(p, 2), b.select(is_small, one, joint)));
  const InstructionId root = b.sqrt(b.add(one, b.multiply(tau, tau)));
  const InstructionId signed_root = b.select(b.compare(tau, zero, lt), b.negate(root), root);
  const InstructionId tangent = b.select(is_small, zero, b.divide(one, b.add(tau, signed_root)));
  const InstructionId cosine = b.rsqrt(b.add(one, b.multiply(tangent, tangent)));
  const std::vector<std::int64_t> sizes = matrix_sizes(b, a, half, 1);
  return {b.reshape(cosine, sizes), b.reshape(b.multiply(tangent, cosine), sizes)};
}

/// Rotates the rows of x in pairs, and moves them to where the next round has them: row 0 stays, and the others go
/// round through the lower half and back through the upper one.
InstructionId rotated(GraphBuilder& b, const Rotations& rotations, InstructionId x) {
  const std::int64_t n = row_count(b, x), columns = column_count(b, x), half = n / 2;
  const InstructionId top = matrix_slice(b, x, 0, half, 0, columns), bottom = matrix_slice(b, x, half, n, 0, columns);
  const std::vector<std::int64_t> sizes = b.shape(top).dimensions;
  const InstructionId cosines = repeated(b, rotations.cosines, sizes), sines = repeated(b, rotations.sines, sizes);
  const InstructionId upper = b.subtract(b.multiply(cosines, top), b.multiply(sines, bottom));
  const InstructionId lower = b.add(b.multiply(sines, top), b.multiply(cosines, bottom));
  const auto dimension = std::int64_t(sizes.size()) - 2;
  if (half == 1) return b.concatenate({upper, lower}, dimension);
  const auto rows = [&](InstructionId from, std::int64_t begin, std::int64_t end) {
    return matrix_slice(b, from, begin, end, 0, columns);
  };
  std::vector<InstructionId> parts{rows(upper, 0, 1), rows(lower, 0, 1)};
  if (half > 2) parts.push_back(rows(upper, 1, half - 1));
  parts.push_back(rows(lower, 1, half));
  parts.push_back(rows(upper, half - 1, half));
  return b.concatenate(std::move(parts), dimension);
}

/// A round: the state is the matrices and the rotations so far.
LoopState next_round(GraphBuilder& b, InstructionId /*trip*/, const LoopState& state) {
  const Rotations rotations = rotations_of(b, state[0]);
  const InstructionId rows = rotated(b, rotations, state[0]);
  return {rotated(b, rotations, transposed_matrices(b, rows)), rotated(b, rotations, state[1])};
}

/// The most over the matrices of what their squares off the diagonal have above the tolerance; a scalar.
InstructionId excess_of(GraphBuilder& b, InstructionId a, double tolerance) {
  const std::vector<std::int64_t> sizes = b.shape(a).dimensions;
  const InstructionId squares = b.multiply(a, a);
  const InstructionId is_off = b.compare(row_numbers(b, sizes), column_numbers(b, sizes), ne);
  const auto last = std::int64_t(sizes.size()) - 1;
  const InstructionId off = b.reduce_add(b.select(is_off, squares, b.full_like(squares, 0)), {last - 1, last});
  const InstructionId all = b.reduce_add(squares, {last - 1, last});
  const InstructionId excess = b.subtract(off, b.multiply(all, b.full_like(all, tolerance * tolerance)));
  std::vector<std::int64_t> batches(sizes.size() - 2);
  std::iota(batches.begin(), batches.end(), std::int64_t{0});
  return batches.empty() ? excess : b.reduce_max(excess, std::move(batches));
}

/// Sweeps over matrices until they are diagonal; returns them and the product of all rotations.
LoopState swept(GraphBuilder& b, InstructionId a, std::int64_t most, double tolerance) {
  const std::int64_t n = row_count(b, a);
  const InstructionId vectors = identities(b, b.type(a), b.shape(a).dimensions);
  const InstructionId begin = b.tuple({b.constant(ElementType::s32, 0), excess_of(b, a, tolerance), a, vectors});
  const Shape shape = b.shape(begin);

  GraphBuilder condition("sweeps_go_on");
  const InstructionId now = condition.parameter(shape, "state");
  const InstructionId count = condition.get_tuple_element(now, 0), excess = condition.get_tuple_element(now, 1);
  const InstructionId is_below = condition.compare(count, condition.constant(ElementType::s32, double(most)), lt);
  const InstructionId goes_on =
      condition.logical_and(is_below, condition.compare(excess, condition.full_like(excess, 0), gt));

  GraphBuilder sweep("sweep");
  const InstructionId state = sweep.parameter(shape, "state");
  const LoopState done = build::counted_loop(
      sweep, "round", n - 1, {sweep.get_tuple_element(state, 2), sweep.get_tuple_element(state, 3)}, next_round);
  const InstructionId next = sweep.add(sweep.get_tuple_element(state, 0), sweep.constant(ElementType::s32, 1));
  const InstructionId root = sweep.tuple({next, excess_of(sweep, done[0], tolerance), done[0], done[1]});

  const ComputationId condition_id = b.computation(std::move(condition), goes_on);
  const ComputationId sweep_id = b.computation(std::move(sweep), root);
  const InstructionId end =
      b.while_loop(begin, condition_id, sweep_id, std::int64_t(std::bit_width(std::uint64_t(n - 1))) + 1);
  return {b.get_tuple_element(end, 2), b.get_tuple_element(end, 3)};
}

/// A matrix with one row for each eigenvalue, [.., 1, n], and a one at its rank in ascending order.
InstructionId order_of(GraphBuilder& b, InstructionId eigenvalues, const std::vector<std::int64_t>& whole) {
  const InstructionId mine = repeated(b, eigenvalues, whole);
  const InstructionId other = repeated(b, transposed_matrices(b, eigenvalues), whole);
  const InstructionId is_earlier = b.compare(row_numbers(b, whole), column_numbers(b, whole), lt);
  const InstructionId is_before =
      b.logical_or(b.compare(other, mine, lt), b.logical_and(b.compare(other, mine, eq), is_earlier));
  const InstructionId rank = column_sums(b, b.convert(is_before, ElementType::s32));
  return b.convert(b.compare(row_numbers(b, whole), repeated(b, rank, whole), eq), b.type(eigenvalues));
}

}  // namespace

bool is_eigenvalue_call(const Computation& computation, const Instruction& call) {
  const bool has_options = call.index > 0;
  return has_options && is_call_on_matrices(computation, call, "Eigh", 1) && call.shape.tuple_shapes.size() == 2;
}

std::optional<Module> expansion_of_eigenvalues(const Computation& computation, InstructionId id) {
  const Instruction& call = computation[id];
  if (!is_eigenvalue_call(computation, call)) return std::nullopt;
  GraphBuilder b("eigh");
  const InstructionId whole = b.parameter(computation[call.operands[0]].shape, "a");
  const std::vector<std::int64_t> sizes = b.shape(whole).dimensions;
  const std::int64_t n = row_count(b, whole), padded = n + n % 2;
  const InstructionId is_read =
      b.compare(row_numbers(b, sizes), column_numbers(b, sizes), call.triangular.lower ? ge : le);
  InstructionId a = b.select(is_read, whole, transposed_matrices(b, whole));
  if (padded > n) {
    std::vector<PadDimension> padding(sizes.size());
    padding.back().high = padding.end()[-2].high = 1;
    a = b.pad(a, b.constant(b.type(a), 0), std::move(padding));
  }
  const LoopState done = swept(b, a, call.index, call.epsilon);
  const InstructionId values = matrix_slice(b, diagonals(b, done[0]), 0, 1, 0, n);
  const InstructionId vectors = matrix_slice(b, done[1], 0, n, 0, n);
  const InstructionId order = order_of(b, values, sizes);
  const InstructionId sorted = matrix_product(b, {order}, {values, true});
  const InstructionId root = b.tuple({transposed_matrices(b, matrix_product(b, {order}, {vectors})),
                                      b.reshape(sorted, call.shape.tuple_shapes[1].dimensions)});
  return std::move(b).build(root);
}

}  // namespace podsim::hlo::expanders
