// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/graph/shape.h"
#include "sw/hlo/shape.h"

namespace podsim::sw::hlo {

/// The shapes of a module as the graph has them, each made once: a dynamic dimension has its bound (an unbounded one
/// size 1), of a layout's tiles the first is kept, and none that joins dimensions ('*').
class GraphShapes {
 public:
  explicit GraphShapes(const ShapeTable& table) : table_(table), made_(table.size()) {}

  const sw::Shape& operator[](ShapeId id);

 private:
  sw::Shape make(ShapeId id);

  const ShapeTable& table_;
  std::vector<std::optional<sw::Shape>> made_;
};

}  // namespace podsim::sw::hlo
