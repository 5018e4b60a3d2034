// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::eval::complex {

/// Evaluates fft over the last dimensions, whose lengths it has, in double precision:
///
///   FFT    X[k] = sum over n of x[n] exp(-2 pi i n k / N)
///   IFFT   x[n] = sum over k of X[k] exp(+2 pi i n k / N) / N
///   RFFT   FFT of real numbers: elements 0 to N/2 of the last dimension
///   IRFFT  its inverse: the other elements are the conjugates of these
///
/// A length is divided by its smallest prime factor as long as it has one (Cooley and Tukey 1965).
Literal evaluate_fft(const Instruction& instruction, const Literal& operand);

}  // namespace podsim::hlo::eval::complex
