// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/contraction_gradient.h"

#include <utility>
#include <vector>

#include "hlo/transform/formulas/complex_gradient.h"
#include "hlo/transform/formulas/convolution_gradient.h"
#include "hlo/transform/formulas/dot_gradient.h"

namespace podsim::hlo::transform::gradient::of {

void dot(Backward& s) {
  if (s.forward.operands.size() != 2) s.refuse("it multiplies a sparse array");
  if (s.wants(0)) s.give(0, s.typed(formulas::dot_lhs_gradient(s.b, s.forward, s.g()), 0));
  if (s.wants(1)) s.give(1, s.typed(formulas::dot_rhs_gradient(s.b, s.forward, s.g()), 1));
}

void ragged_dot(Backward& s) {
  const Instruction& forward = s.forward;
  const DotDimensions& roles = forward.dot;
  const std::vector<std::int64_t> sizes = s.b.shape(s.x(1)).dimensions;
  const bool is_rows_by_matrices = forward.dimensions.size() == 2 && s.b.shape(s.x(0)).rank() == 2 &&
                                   sizes.size() == 3 && forward.dimensions[0] == 0 && roles.lhs_batch.empty() &&
                                   roles.lhs_contracting == std::vector<int>{1};
  if (!is_rows_by_matrices) s.refuse("only rows in groups times a matrix for each group have one");
  const int group = int(forward.dimensions[1]), contracted = roles.rhs_contracting[0];
  const int free = 3 - group - contracted;
  if (s.wants(0)) {
    Instruction product = forward;
    product.operands = {s.g(), s.x(1), s.x(2)};
    product.dot.edit().rhs_contracting = {free};
    product.shape = s.b.shape(s.x(0));
    s.give(0, s.typed(s.b.add(std::move(product)), 0));
  }
  if (!s.wants(1)) return;
  Instruction products = forward;
  products.operands = {s.x(0), s.g(), s.x(2)};
  products.dimensions = {0};
  products.dot.edit().lhs_contracting = {0};
  products.dot.edit().rhs_contracting = {0};
  products.shape.dimensions = {sizes[std::size_t(group)], sizes[std::size_t(contracted)], sizes[std::size_t(free)]};
  std::vector<std::int64_t> order(3);
  order[std::size_t(group)] = 0;
  order[std::size_t(contracted)] = 1;
  order[std::size_t(free)] = 2;
  s.give(1, s.typed(s.b.transpose(s.b.add(std::move(products)), std::move(order)), 1));
}

void convolution(Backward& s) {
  if (s.wants(0)) s.give(0, formulas::convolution_input_gradient(s.b, s.forward, s.typed(s.g(), 0)));
  if (s.wants(1)) s.give(1, s.typed(formulas::convolution_kernel_gradient(s.b, s.forward, s.g()), 1));
}

void fft(Backward& s) { s.give(0, formulas::fft_gradient(s.b, s.forward, s.g())); }

}  // namespace podsim::hlo::transform::gradient::of
