// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "workloads/models/mask_rcnn/mask_rcnn.h"
#include "workloads/trained_tensors.h"

namespace podsim::workloads::models::mask_rcnn {

/// The region proposal network of Mask R-CNN: a 3 x 3 convolution on every level of the pyramid, then scores and shifts
/// of the three anchors of a position, with the same weights on all levels. Tensors: "rpn/conv", "rpn/scores" and
/// "rpn/shifts", each with "kernel" and "bias". Anchors are in the order [level, row, column, kind].
class RegionProposals {
 public:
  /// Writes scores and shifts of maps [batch, height, width, channels] of levels 2 to 6.
  RegionProposals(TrainedTensors& tensors, const MaskRcnnOptions& options, const std::vector<hlo::InstructionId>& maps);

  /// The proposals [batch, proposals, 4]: the best candidates of each level that suppression leaves, the best of all
  /// levels first.
  hlo::InstructionId boxes();

  /// Both losses of anchors, with targets as in mask_rcnn.h.
  hlo::InstructionId loss(hlo::InstructionId anchor_classes, hlo::InstructionId anchor_shifts);

 private:
  struct Level {
    std::int64_t rows = 0, columns = 0;
    hlo::InstructionId scores = -1;  ///< [batch, anchors]
    hlo::InstructionId shifts = -1;  ///< [batch, anchors, 4]
  };
  struct Candidates {
    hlo::InstructionId scores = -1, boxes = -1;  ///< [batch, candidates], [batch, candidates, 4]
  };

  hlo::InstructionId convolution(std::string_view name, hlo::InstructionId x, std::int64_t filters, std::int64_t size);
  Candidates candidates(const Level& level, std::int64_t stride);

  TrainedTensors& tensors_;
  const MaskRcnnOptions& options_;
  std::vector<Level> levels_;
};

}  // namespace podsim::workloads::models::mask_rcnn
