// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hlo/graph.h"
#include "hw/tile_op.h"
#include "sw/compiler/tiles/vector_cost.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler::tiles {

using MatrixUnit = hw::parts::mxu::Parameters;

/// How the core multiplies the operands of a convolution or dot. Every matrix unit multiplies bf16, with a significand
/// of 8 bits, and adds in f32. An operand of another type becomes one bf16 or the sum of several pieces, and every pair
/// of pieces that counts is a pass over the weight tiles. Two integers are made of bytes in the same passes as products
/// of s8 if the array has them (mxu.s8_products), two floats of 8 bits are one product of f8 (mxu.f8_products):
///
///   bf16, 8-bit floats     one piece, exact
///   f32, f16               one piece by default, two at `high`, three at `highest`; f16 is whole in two. A pair counts
///                          if it is as large as the smallest piece: 3 passes at `high`, 6 at `highest`
///   pred, 8-bit integers   one piece, exact
///   wider integers         a piece for each byte; a pair counts if it reaches the bits of the result: 3 passes for
///                          s16, 10 for s32, 36 for s64
///   c64                    four products of real and imaginary parts in f32
///   f64, c128              no passes: the sums of a matrix unit are too short. The vector unit computes with pairs of
///                          f32 in software
///
/// `algorithm` (dot_bf16_bf16_f32_x3 ...) goes before `operand_precision`. Evidence: the six and three passes are
/// documented for XLA on TPU; the others follow from the 8 bits.
struct ProductArithmetic {
  std::array<std::int64_t, 2> pieces{1, 1};                         ///< of lhs and rhs
  std::int64_t passes = 1;                                          ///< over the weight tiles; 0 in software
  hw::parts::mxu::Product product = hw::parts::mxu::Product::bf16;  ///< of a pass
  bool in_software() const { return passes == 0; }
};

ProductArithmetic product_arithmetic(const hlo::Instruction& product, hlo::ElementType lhs, hlo::ElementType rhs,
                                     const MatrixUnit& unit);

/// The shape of a product's operand, in the narrower type of a conversion that makes it: an f32 that was a bf16 holds
/// no more than one piece.
hlo::Shape entering_shape(const hlo::Computation& body, hlo::InstructionId operand);

/// Work that makes an operand's pieces for products of a type. In bf16: a rounding and a subtraction for each further
/// piece of a float; a conversion for an integer of 8 bits or a float of 8; a shift, a mask and a conversion for each
/// byte of a wider one. A rounding to the only piece is free: the matrix unit does it. In s8 and f8 nothing is
/// converted: a shift and a mask for each byte of a wider integer.
hw::VectorWork splitting_work(const hlo::Shape& operand, std::int64_t pieces, hw::parts::mxu::Product product,
                              const VectorUnit& unit);

/// Work of a product of f64 on the vector unit: 24 operations multiply two pairs of f32 and 20 add two pairs (Hida, Li
/// and Bailey, 2001). A product of c128 is four of them.
hw::VectorWork software_product_work(const hlo::Instruction& product, const hlo::Shape& lhs, const hlo::Shape& rhs,
                                     const VectorUnit& unit);

/// How the products of an op are computed: "bf16", "s8", "f32 as bf16", "f32 in 6 passes", "s32 in 10 passes of s8",
/// "f64 in software", "bf16 on the vector unit"; joined by " + " if they differ; empty without products.
std::string products_text(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id,
                          const TargetMachine& machine);

}  // namespace podsim::sw::compiler::tiles
