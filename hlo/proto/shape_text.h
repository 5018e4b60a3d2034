// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <protozero/data_view.hpp>

namespace podsim::hlo::proto {

/// HLO's name of a PrimitiveType, "bf16"; "invalid" for a number without one.
std::string type_text(std::int64_t type);

/// A ShapeProto as HLO text prints it, with its layout: "bf16[128,64]{1,0:T(8,128)(2,1)S(1)}".
std::string shape_text(protozero::data_view shape);

/// The value of a LiteralProto between the parentheses of a constant: a scalar, or "{...}".
std::string literal_text(protozero::data_view literal);

}  // namespace podsim::hlo::proto
