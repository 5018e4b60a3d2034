// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sw/graph/literal.h"

namespace podsim::sw {

/// The array of a NumPy .npy file (numpy.lib.format, versions 1 to 3, little-endian) as a literal of `shape`. Numbers
/// of another type are converted; two or one bytes without a type (V2, V1), as bfloat16 and 8-bit floats are saved, are
/// the shape's own bits. Throws base::InputError when the file is no such array or has other dimensions.
Literal read_npy(std::string_view bytes, const Shape& shape);

}  // namespace podsim::sw
