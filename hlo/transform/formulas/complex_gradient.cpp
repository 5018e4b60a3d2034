// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/formulas/complex_gradient.h"

#include <utility>

namespace podsim::hlo::transform::formulas {

namespace {

InstructionId real(build::GraphBuilder& b, InstructionId z) { return b.unary(Opcode::real, z); }
InstructionId imaginary(build::GraphBuilder& b, InstructionId z) { return b.unary(Opcode::imag, z); }

/// The operation `forward` with another operand and type of transform.
InstructionId transform_of(build::GraphBuilder& b, const Instruction& forward, InstructionId x, const char* type) {
  Instruction fft;
  fft.opcode = Opcode::fft;
  fft.operands = {x};
  fft.dimensions = forward.dimensions;
  fft.target = type;
  return b.add(std::move(fft));
}

InstructionId rfft_gradient(build::GraphBuilder& b, const Instruction& forward, InstructionId g) {
  std::vector<PadDimension> padding(forward.shape.dimensions.size());
  padding.back().high = forward.dimensions.back() - forward.shape.dimensions.back();
  return real(b, transform_of(b, forward, b.pad(g, b.constant(b.type(g), 0), std::move(padding)), "FFT"));
}

/// By frequency of the last dimension: the elements of the whole transform for which it stands, over their number.
InstructionId weights(build::GraphBuilder& b, const Instruction& forward, InstructionId like) {
  const std::int64_t length = forward.dimensions.back(), held = length / 2 + 1;
  double count = 1;
  for (const std::int64_t size : forward.dimensions) count *= double(size);
  Literal each{make_shape(b.type(like), {held}), {}, {}};
  for (std::int64_t k = 0; k < held; ++k) each.values.push_back((k == 0 || 2 * k == length ? 1 : 2) / count);
  return b.broadcast(b.constant(std::move(each)), b.shape(like).dimensions, {b.shape(like).rank() - 1});
}

InstructionId irfft_gradient(build::GraphBuilder& b, const Instruction& forward, InstructionId g) {
  const InstructionId spectrum = transform_of(b, forward, g, "RFFT");
  const InstructionId x = real(b, spectrum), y = imaginary(b, spectrum), weight = weights(b, forward, x);
  return gradient_of_parts(b, b.multiply(x, weight), b.multiply(y, weight));
}

}  // namespace

InstructionId gradient_of_parts(build::GraphBuilder& builder, InstructionId real, InstructionId imaginary) {
  return builder.binary(Opcode::complex, real, builder.negate(imaginary));
}

InstructionId complex_abs_gradient(build::GraphBuilder& builder, InstructionId z, InstructionId y, InstructionId g) {
  const InstructionId zero = builder.full_like(y, 0);
  const InstructionId is_zero = builder.compare(y, zero, ComparisonDirection::eq);
  const InstructionId slope = builder.divide(g, builder.select(is_zero, builder.full_like(y, 1), y));
  return gradient_of_parts(builder, builder.multiply(slope, real(builder, z)),
                           builder.multiply(slope, imaginary(builder, z)));
}

InstructionId complex_sign_gradient(build::GraphBuilder& builder, InstructionId z, InstructionId y, InstructionId g) {
  const InstructionId magnitude = builder.abs(z), zero = builder.full_like(magnitude, 0);
  const InstructionId is_zero = builder.compare(magnitude, zero, ComparisonDirection::eq);
  const InstructionId divisor = builder.select(is_zero, builder.full_like(magnitude, 1), magnitude);
  const InstructionId turn = builder.divide(imaginary(builder, builder.multiply(g, y)), divisor);
  return builder.binary(Opcode::complex, builder.multiply(turn, imaginary(builder, y)),
                        builder.multiply(turn, real(builder, y)));
}

InstructionId convert_gradient(build::GraphBuilder& builder, InstructionId g, ElementType type) {
  if (is_complex(builder.type(g)) && !is_complex(type)) return builder.convert(real(builder, g), type);
  return builder.convert(g, type);
}

InstructionId fft_gradient(build::GraphBuilder& builder, const Instruction& forward, InstructionId g) {
  if (forward.target == "RFFT") return rfft_gradient(builder, forward, g);
  if (forward.target == "IRFFT") return irfft_gradient(builder, forward, g);
  return transform_of(builder, forward, g, forward.target == "IFFT" ? "IFFT" : "FFT");
}

}  // namespace podsim::hlo::transform::formulas
