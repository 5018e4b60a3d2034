// SPDX-License-Identifier: Apache-2.0
// Part of workloads/models/mask_rcnn/mask_rcnn.h.
#include "base/units.h"
#include "workloads/models/mask_rcnn/mask_rcnn.h"

namespace podsim::workloads::models::mask_rcnn {

namespace {

/// Positions of the maps of levels 2 to 6.
std::vector<std::int64_t> map_places(const MaskRcnnOptions& options) {
  std::vector<std::int64_t> places;
  for (std::int64_t stride = 4; stride <= 64; stride *= 2) {
    places.push_back(base::divide_round_up(options.image_height, stride) *
                     base::divide_round_up(options.image_width, stride));
  }
  return places;
}

double backbone_flops(const MaskRcnnOptions& o) {
  const std::vector<std::int64_t> places = map_places(o);
  double flops = 2.0 * double(4 * places[0]) * 49 * 3 * double(o.width);
  std::int64_t inputs = o.width;
  for (std::size_t group = 0; group < o.blocks.size(); ++group) {
    const std::int64_t width = o.width << group;
    for (std::int64_t block = 0; block < o.blocks[group]; ++block) {
      const bool strides = group > 0 && block == 0;
      const std::int64_t after = places[group], before = strides ? places[group - 1] : after;
      // The group before the second one is frozen.
      const double of_inputs = group == 0 ? 2 : group == 1 && block == 0 ? 4 : 6, of_others = group == 0 ? 2 : 6;
      flops += of_inputs * double(before * inputs * width);
      if (block == 0) flops += of_inputs * double(after * inputs * 4 * width);
      flops += of_others * double(after * (9 + 4) * width * width);
      inputs = 4 * width;
    }
  }
  return flops;
}

double pyramid_flops(const MaskRcnnOptions& o) {
  const std::vector<std::int64_t> places = map_places(o);
  const std::int64_t squared = o.pyramid * o.pyramid;
  double flops = 0;
  for (std::size_t level = 0; level < places.size(); ++level) {
    const std::int64_t inputs = (4 * o.width) << level;
    if (level < o.blocks.size()) {
      flops += (level == 0 ? 4.0 : 6.0) * double(places[level] * inputs * o.pyramid);
      flops += 6.0 * double(places[level] * 9 * squared);
    }
    const std::int64_t of_anchors = 5 * mask_rcnn_anchor_kinds * o.pyramid;
    flops += 6.0 * double(places[level] * (9 * squared + of_anchors));
  }
  return flops;
}

/// ROI align of boxes into bins x bins.
double align_flops(const MaskRcnnOptions& o, std::int64_t boxes, std::int64_t bins) {
  double flops = 0;
  for (std::int64_t stride = 4; stride <= 32; stride *= 2) {
    const std::int64_t rows = o.image_height / stride, columns = o.image_width / stride;
    flops += 4.0 * double(boxes * bins * rows * o.pyramid) * double(columns + bins);
  }
  return flops;
}

double head_flops(const MaskRcnnOptions& o) {
  const std::int64_t box_inputs = mask_rcnn_box_bins * mask_rcnn_box_bins * o.pyramid;
  const std::int64_t box_weights = o.hidden * (box_inputs + o.hidden + 5 * o.classes);
  const std::int64_t places = o.mask_rois * mask_rcnn_mask_bins * mask_rcnn_mask_bins;
  const std::int64_t mask_weights = 4 * 9 * o.pyramid * o.pyramid + 4 * o.pyramid * (o.pyramid + o.classes);
  const std::int64_t size = o.true_mask_size, bins = 2 * mask_rcnn_mask_bins;
  const std::int64_t targets = o.rois * o.objects * 4 + o.mask_rois * size * (o.objects * size + bins * (size + bins));
  return 6.0 * double(o.rois * box_weights + places * mask_weights) + 2.0 * double(targets);
}

}  // namespace

std::int64_t mask_rcnn_anchor_count(const MaskRcnnOptions& options) {
  std::int64_t count = 0;
  for (const std::int64_t places : map_places(options)) count += mask_rcnn_anchor_kinds * places;
  return count;
}

double mask_rcnn_flops(const MaskRcnnOptions& o) {
  return double(o.batch) * (backbone_flops(o) + pyramid_flops(o) + align_flops(o, o.rois, mask_rcnn_box_bins) +
                            align_flops(o, o.mask_rois, mask_rcnn_mask_bins) + head_flops(o));
}

}  // namespace podsim::workloads::models::mask_rcnn
