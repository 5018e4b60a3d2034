// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hlo/literal.h"

namespace podsim::hlo::text::graph {

/// Reads the array of a NumPy .npy file (numpy.lib.format, versions 1 to 3, little-endian) as a literal of `shape`.
/// Numbers of another type are converted, complex ones to complex types only. Untyped elements of two bytes or one (V2,
/// V1), the form in which bfloat16 and 8-bit floats are saved, are the bits of the shape's type. Throws
/// base::InputError if the file is not such an array or has other dimensions.
hlo::Literal read_npy(std::string_view bytes, const hlo::Shape& shape);

}  // namespace podsim::hlo::text::graph
