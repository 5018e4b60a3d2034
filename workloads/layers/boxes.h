// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/build/graph_builder.h"

/// Rectangles of images. Their coordinates are arrays of their own, so that boxes and not four numbers are in the
/// lanes.
namespace podsim::workloads::layers {

/// [batch, boxes] each, in pixels.
struct Boxes {
  sw::ir::InstructionId top = -1, left = -1, bottom = -1, right = -1;
};

/// From [batch, boxes, 4] in the order top, left, bottom, right, and back.
Boxes boxes_of(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId coordinates);
sw::ir::InstructionId coordinates_of(sw::ir::build::GraphBuilder& builder, const Boxes& boxes);

/// (bottom - top) * (right - left)
sw::ir::InstructionId areas(sw::ir::build::GraphBuilder& builder, const Boxes& boxes);

/// Intersection over union [batch, boxes of a, boxes of b]; 0 for a pair without area.
sw::ir::InstructionId overlaps(sw::ir::build::GraphBuilder& builder, const Boxes& a, const Boxes& b);

/// Boxes from anchors and shifts [batch, boxes, 4] (Girshick et al. 2014): the centre moves by the first two numbers
/// times height and width, which are multiplied by exponentials of the last two, of at most ln(1000 / 16). The result
/// is clipped to an image of this size.
Boxes shifted_boxes(sw::ir::build::GraphBuilder& builder, const Boxes& anchors, sw::ir::InstructionId shifts,
                    double height, double width);

/// The inverse: shifts [batch, boxes, 4] from boxes to targets, divided by `scales` for centres and for sizes. Heights
/// and widths below 1 count as 1.
sw::ir::InstructionId shifts_between(sw::ir::build::GraphBuilder& builder, const Boxes& boxes, const Boxes& targets,
                                     double centre_scale, double size_scale);

/// Marks, as pred[batch, boxes], the boxes that non-maximum suppression keeps: highest score first, each one whose
/// overlap with every kept box before it is at most `threshold`. Boxes are sorted by falling score. A while loop of
/// `trips` trips: all boxes are kept at first, and a trip keeps those that no box kept before it suppresses. The result
/// is the one of the sequential algorithm once `trips` reaches the longest chain of boxes that suppress each other.
sw::ir::InstructionId kept_boxes(sw::ir::build::GraphBuilder& builder, const Boxes& boxes, double threshold,
                                 std::int64_t trips);

}  // namespace podsim::workloads::layers
