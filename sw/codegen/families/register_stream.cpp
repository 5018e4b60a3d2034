// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/register_stream.h"

#include "sw/codegen/builder/element_code.h"

namespace podsim::sw::codegen::families {

builder::TileStream register_stream(const KernelArray& array, builder::TileRole role, std::int64_t in_tile,
                                    std::int64_t all) {
  const hlo::ElementType type = array.shape.element_type;
  builder::TileStream stream;
  stream.name = array.name;
  stream.role = role;
  stream.address = array.address;
  stream.rows = builder::TileWindow::whole(1);
  stream.words = builder::TileWindow::tiled(0, in_tile * builder::tile_words(type), all * builder::tile_words(type));
  stream.vmem_rows = in_tile * builder::tile_rows(type);
  return stream;
}

}  // namespace podsim::sw::codegen::families
