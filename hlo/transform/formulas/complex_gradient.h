// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

/// Gradients through complex numbers, in JAX's convention: the gradient of z = x + iy is dL/dx - i dL/dy, for a real
/// loss L, so that dL = Re(gradient dz). The rules of holomorphic functions and of products are then those of real
/// numbers, without conjugates.
namespace podsim::hlo::transform::formulas {

/// The gradient of a complex z from those of its parts: real - i imaginary.
InstructionId gradient_of_parts(build::GraphBuilder& builder, InstructionId real, InstructionId imaginary);

/// Given the gradient g of |z| = y: g conj(z) / y, and 0 at 0.
InstructionId complex_abs_gradient(build::GraphBuilder& builder, InstructionId z, InstructionId y, InstructionId g);

/// Given the gradient g of z / |z| = y, which turns with z's angle and does not change with its magnitude:
/// i Im(g y) conj(y) / |z|, and 0 at 0.
InstructionId complex_sign_gradient(build::GraphBuilder& builder, InstructionId z, InstructionId y, InstructionId g);

/// The gradient of a value of type `type` that was converted to g's type. A real number that is taken for a complex one
/// has the real part of g.
InstructionId convert_gradient(build::GraphBuilder& builder, InstructionId g, ElementType type);

/// A transform is linear and its matrix symmetric: of FFT and IFFT, the same transform of g. RFFT: the real part of the
/// FFT of g with zeros in place of the frequencies that the result leaves out. IRFFT: the conjugate of the RFFT of g
/// over the number of elements, where frequencies that stand for two count twice.
InstructionId fft_gradient(build::GraphBuilder& builder, const Instruction& forward, InstructionId g);

}  // namespace podsim::hlo::transform::formulas
