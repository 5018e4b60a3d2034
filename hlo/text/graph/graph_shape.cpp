// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/graph_shape.h"

#include <algorithm>

namespace podsim::hlo::text::graph {

const hlo::Shape& GraphShapes::operator[](ShapeId id) {
  std::optional<hlo::Shape>& shape = made_[std::size_t(id)];
  if (!shape) shape = make(id);
  return *shape;
}

hlo::Shape GraphShapes::make(ShapeId id) {
  const Shape& written = table_[id];
  hlo::Shape shape;
  if (written.is_tuple) {
    shape.element_type = hlo::ElementType::tuple;
    for (const ShapeId element : written.elements) shape.tuple_shapes.push_back((*this)[element]);
    return shape;
  }
  shape.element_type = written.type;
  shape.dimensions = written.dimensions;
  std::ranges::replace(shape.dimensions, Shape::unbounded, 1);
  shape.minor_to_major.assign(written.layout.minor_to_major.begin(), written.layout.minor_to_major.end());
  shape.memory_space = written.layout.memory_space;
  const auto& tiles = written.layout.tiles;
  if (!tiles.empty() && std::ranges::count(tiles.front(), Layout::combined) == 0) shape.tile = tiles.front();
  return shape;
}

}  // namespace podsim::hlo::text::graph
