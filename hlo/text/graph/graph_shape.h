// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hlo/shape.h"
#include "hlo/text/shape.h"

namespace podsim::hlo::text::graph {

/// The shapes of a module in the form of the graph, each converted once. A dynamic dimension has the size of its bound
/// (1 if unbounded). Only the first of a layout's tiles is kept, and no tile that joins dimensions ('*').
class GraphShapes {
 public:
  explicit GraphShapes(const ShapeTable& table) : table_(table), made_(table.size()) {}

  const hlo::Shape& operator[](ShapeId id);

 private:
  hlo::Shape make(ShapeId id);

  const ShapeTable& table_;
  std::vector<std::optional<hlo::Shape>> made_;
};

}  // namespace podsim::hlo::text::graph
