// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Replaces dots that are no matrix products, or small ones, by elementwise ops, as XLA's algebraic simplifier does
/// before it assigns layouts (xla/hlo/transforms/simplifiers/algebraic_simplifier, HandleDot; on TPU with
/// tpu_enable_dot_strength_reduction, which is true by default):
///
/// - a dot without contracting dimensions: the product of both operands, broadcast to the result;
/// - a dot of which one operand has only batch and contracting dimensions, such as a vector: the product of the other
///   operand and this one, broadcast, summed over the contracting dimensions;
/// - a dot with batch dimensions and at most 16^3 products for each: all products and their sums. Which dots "are not
///   compute-intensive" (xla/docs/flags_guidance.md on that flag) is not published; the bound is where the matrix unit
///   is certain to lose.
///
/// Products and sums of floating-point numbers are in f32, those of f64 in f64, and are rounded to the type of the dot
/// at the end; XLA rounds each product to that type. Integers and complex numbers are computed in the type of the dot.
/// Dots with a precision algorithm other than that of f32 stay. For modules whose layouts are not assigned yet.
void replace_weak_dots(hlo::Module& module);

}  // namespace podsim::sw::compiler::fuse
