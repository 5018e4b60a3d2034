// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "sw/graph/literal.h"

namespace podsim::sw::hlo {

/// The value that a literal of the text stands for, rounded to the type; nothing where any part of it is elided. The
/// text has the form that skip_literal accepts for the shape. A single value stands for all elements, and elements that
/// an array of dynamic dimensions leaves out are 0; an array of more than 2^24 elements, most of which the text does
/// not write, counts as elided.
std::optional<Literal> read_graph_literal(std::string_view text, const sw::Shape& shape);

}  // namespace podsim::sw::hlo
