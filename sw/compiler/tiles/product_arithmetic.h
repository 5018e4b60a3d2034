// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/ir/graph.h"

namespace podsim::sw::compiler::tiles {

/// How the core multiplies the operands of a convolution or dot. The matrix units of TPU v2 and v3 multiply bf16, with
/// a significand of 8 bits, and add in f32. An operand of another type becomes one bf16 or the sum of several pieces,
/// and every pair of pieces that counts is a pass over the weight tiles:
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
  std::array<std::int64_t, 2> pieces{1, 1};  ///< of lhs and rhs
  std::int64_t passes = 1;                   ///< over the weight tiles; 0 in software
  bool in_software() const { return passes == 0; }
};

ProductArithmetic product_arithmetic(const ir::Instruction& product, ir::ElementType lhs, ir::ElementType rhs);

/// The shape of a product's operand, in the narrower type of a conversion that makes it: an f32 that was a bf16 holds
/// no more than one piece.
ir::Shape entering_shape(const ir::Computation& body, ir::InstructionId operand);

/// Work that makes an operand's pieces: a rounding and a subtraction for each further piece of a float; a conversion
/// for an integer of 8 bits or a float of 8; a shift, a mask and a conversion for each byte of a wider one. A rounding
/// to the only piece is free: the matrix unit does it.
hw::VectorWork splitting_work(const ir::Shape& operand, std::int64_t pieces);

/// Work of a product of f64 on the vector unit: 24 operations multiply two pairs of f32 and 20 add two pairs (Hida, Li
/// and Bailey, 2001). A product of c128 is four of them.
hw::VectorWork software_product_work(const ir::Instruction& product, const ir::Shape& lhs, const ir::Shape& rhs);

/// How the products of an op are computed: "bf16", "f32 as bf16", "f32 in 6 passes", "f64 in software", "bf16 on the
/// vector unit"; joined by " + " if they differ; empty without products.
std::string products_text(const ir::Module& module, const ir::Computation& computation, ir::InstructionId id,
                          const hw::Machine& machine);

}  // namespace podsim::sw::compiler::tiles
