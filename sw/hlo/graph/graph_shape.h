// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/hlo/shape.h"
#include "sw/ir/shape.h"

namespace podsim::sw::hlo::graph {

/// The shapes of a module in the form of the graph, each converted once. A dynamic dimension has the size of its bound
/// (1 if unbounded). Only the first of a layout's tiles is kept, and no tile that joins dimensions ('*').
class GraphShapes {
 public:
  explicit GraphShapes(const ShapeTable& table) : table_(table), made_(table.size()) {}

  const ir::Shape& operator[](ShapeId id);

 private:
  ir::Shape make(ShapeId id);

  const ShapeTable& table_;
  std::vector<std::optional<ir::Shape>> made_;
};

}  // namespace podsim::sw::hlo::graph
