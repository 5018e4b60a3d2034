// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "hlo/literal.h"

namespace podsim::hlo::text::graph {

/// Returns the value of a literal's text, rounded to the type, or std::nullopt if any part of it is elided. The text
/// must have the form that skip_literal accepts for the shape. A single value applies to all elements. Elements beyond
/// the dynamic size of a dimension are 0. An array that has more than 2^24 elements, and more than its text has
/// characters, counts as elided.
std::optional<hlo::Literal> read_graph_literal(std::string_view text, const hlo::Shape& shape);

}  // namespace podsim::hlo::text::graph
