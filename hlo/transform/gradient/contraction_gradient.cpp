// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/contraction_gradient.h"

#include "hlo/transform/formulas/complex_gradient.h"
#include "hlo/transform/formulas/convolution_gradient.h"
#include "hlo/transform/formulas/dot_gradient.h"

namespace podsim::hlo::transform::gradient::of {

void dot(Backward& s) {
  if (s.forward.operands.size() != 2) s.refuse("it multiplies a sparse array");
  if (s.wants(0)) s.give(0, s.typed(formulas::dot_lhs_gradient(s.b, s.forward, s.g()), 0));
  if (s.wants(1)) s.give(1, s.typed(formulas::dot_rhs_gradient(s.b, s.forward, s.g()), 1));
}

void convolution(Backward& s) {
  if (s.wants(0)) s.give(0, formulas::convolution_input_gradient(s.b, s.forward, s.typed(s.g(), 0)));
  if (s.wants(1)) s.give(1, s.typed(formulas::convolution_kernel_gradient(s.b, s.forward, s.g()), 1));
}

void fft(Backward& s) { s.give(0, formulas::fft_gradient(s.b, s.forward, s.g())); }

}  // namespace podsim::hlo::transform::gradient::of
