// SPDX-License-Identifier: Apache-2.0
#include "workloads/input_samples.h"

namespace podsim::workloads {

namespace {

// ImageNet-1k: 1281167 training images of 110 kB and on average 469 x 387 pixels, 50000 for validation. A random crop
// of 8 to 100 % of the area, 54 % on average, is decoded, resized to 224 x 224, normalised and converted: three passes.
constexpr double imagenet_crop = 0.54 * 469 * 387;
// COCO 2017: 117266 training images with boxes, of 160 kB and on average 578 x 484 pixels, 5000 for validation. The
// image is decoded, its crop resized to 300 x 300, brightness, contrast, saturation and hue changed, normalised and
// converted: seven passes.
constexpr double coco_image = 578.0 * 484;

InputSamples images(std::int64_t stored, double decoded, double side, double passes, std::int64_t training,
                    std::int64_t evaluation) {
  return {{base::Bytes(stored), decoded, side * side, passes}, training, evaluation};
}

InputSamples records(std::int64_t stored, std::int64_t training, std::int64_t evaluation) {
  return {{.stored = base::Bytes(stored)}, training, evaluation};
}

}  // namespace

std::optional<InputSamples> input_samples(std::string_view workload) {
  if (workload.starts_with("resnet")) return images(110'000, imagenet_crop, 224, 3, 1'281'167, 50'000);
  if (workload == "amoebanet_d") return images(110'000, imagenet_crop, 224, 3, 1'281'167, 50'000);
  if (workload == "inception_v3") return images(110'000, imagenet_crop, 299, 3, 1'281'167, 50'000);
  if (workload == "ssd") return images(160'000, coco_image, 300, 7, 117'266, 5'000);
  // Sequences of 512 tokens: ids, mask and segments as 32-bit numbers, and 76 masked positions.
  if (workload == "bert_large") return records(3 * 512 * 4 + 3 * 76 * 4, 0, 10'000);
  // 13 numbers, 26 indices and a label of 4 bytes.
  if (workload == "dlrm") return records(40 * 4, 4'195'197'692, 89'137'319);
  return std::nullopt;
}

}  // namespace podsim::workloads
