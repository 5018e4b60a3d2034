// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/element_type.h"

/// Short names of the element types that tests compute with.
namespace podsim::hlo::testing {

inline constexpr ElementType s32 = ElementType::s32, bf16 = ElementType::bf16, f32 = ElementType::f32,
                             f64 = ElementType::f64;

}  // namespace podsim::hlo::testing
