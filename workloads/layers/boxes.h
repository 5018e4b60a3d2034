// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

/// Rectangles of images. Their coordinates are arrays of their own, so that boxes and not four numbers are in the
/// lanes.
namespace podsim::workloads::layers {

/// [batch, boxes] each, in pixels.
struct Boxes {
  hlo::InstructionId top = -1, left = -1, bottom = -1, right = -1;
};

/// From [batch, boxes, 4] in the order top, left, bottom, right, and back.
Boxes boxes_of(hlo::build::GraphBuilder& builder, hlo::InstructionId coordinates);
hlo::InstructionId coordinates_of(hlo::build::GraphBuilder& builder, const Boxes& boxes);

/// (bottom - top) * (right - left)
hlo::InstructionId areas(hlo::build::GraphBuilder& builder, const Boxes& boxes);

/// Intersection over union [batch, boxes of a, boxes of b]; 0 for a pair without area.
hlo::InstructionId overlaps(hlo::build::GraphBuilder& builder, const Boxes& a, const Boxes& b);

/// Boxes from anchors and shifts [batch, boxes, 4] (Girshick et al. 2014): the centre moves by the first two numbers
/// times height and width, which are multiplied by exponentials of the last two, of at most ln(1000 / 16). The result
/// is clipped to an image of this size.
Boxes shifted_boxes(hlo::build::GraphBuilder& builder, const Boxes& anchors, hlo::InstructionId shifts, double height,
                    double width);

/// The inverse: shifts [batch, boxes, 4] from boxes to targets, divided by `scales` for centres and for sizes. Heights
/// and widths below 1 count as 1.
hlo::InstructionId shifts_between(hlo::build::GraphBuilder& builder, const Boxes& boxes, const Boxes& targets,
                                  double centre_scale, double size_scale);

/// Marks, as pred[batch, boxes], the boxes that non-maximum suppression keeps: highest score first, each one whose
/// overlap with every kept box before it is at most `threshold`. Boxes are sorted by falling score. A while loop of
/// `trips` trips: all boxes are kept at first, and a trip keeps those that no box kept before it suppresses. The result
/// is the one of the sequential algorithm once `trips` reaches the longest chain of boxes that suppress each other.
hlo::InstructionId kept_boxes(hlo::build::GraphBuilder& builder, const Boxes& boxes, double threshold,
                              std::int64_t trips);

}  // namespace podsim::workloads::layers
