// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/ssd.h"

#include <fmt/format.h>

#include "workloads/layers/highest_mask.h"

namespace podsim::workloads::models {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

namespace {

constexpr int scales = 6;
constexpr double negatives_per_match = 3;

class Ssd {
 public:
  Ssd(hlo::build::GraphBuilder& builder, const SsdOptions& options)
      : b(builder), options_(options), layers_(builder, options.precision, options.norm_groups) {}

  Loss loss() {
    const std::int64_t batch = options_.batch, size = options_.image_size;
    const InstructionId images =
        b.parameter(hlo::make_shape(options_.precision.activation, {batch, size, size, 3}), "images");
    const std::int64_t all = ssd_box_count(options_);
    const hlo::ElementType type = options_.precision.parameter;
    const Target target{b.parameter(hlo::make_shape(type, {batch, all, 4}), "boxes"),
                        b.parameter(hlo::make_shape(hlo::ElementType::s32, {batch, all}), "classes"),
                        b.parameter(hlo::make_shape(type, {batch}), "matches")};
    const std::array<InstructionId, scales> maps = extras(backbone(images));
    std::vector<InstructionId> logits, boxes;
    for (int i = 0; i < scales; ++i) {
      const hlo::build::GraphBuilder::Scope scope(b, fmt::format("head{}", i));
      logits.push_back(predicted("classes", maps[i], ssd_boxes[i], options_.classes));
      boxes.push_back(predicted("boxes", maps[i], ssd_boxes[i], 4));
    }
    const InstructionId all_logits = joined("logits", logits), all_boxes = joined("found", boxes);
    const hlo::build::GraphBuilder::Scope scope(b, "loss");
    return loss_of(all_logits, all_boxes, target);
  }

  const std::vector<TrainedTensor>& trained() const { return layers_.trained(); }

 private:
  struct Target {
    InstructionId boxes = -1, classes = -1, matches = -1;
  };

  InstructionId convolution(std::string_view name, InstructionId x, std::int64_t filters, std::int64_t size,
                            std::int64_t stride) {
    const hlo::build::GraphBuilder::Scope scope(b, name);
    const InstructionId y = layers_.convolution(x, filters, size, stride);
    return options_.folded_norms ? layers_.bias(y) : layers_.batch_norm(y);
  }

  /// ResNet up to the map of an eighth of the image's size, with four times the first width; the third group of blocks
  /// keeps the size.
  InstructionId backbone(InstructionId images) {
    InstructionId x = [&] {
      const hlo::build::GraphBuilder::Scope scope(b, "stem");
      return layers_.max_pool(layers_.relu(convolution("conv", images, options_.width, 7, 2)), 3, 2);
    }();
    for (int stage = 0; stage < 3; ++stage) {
      for (std::int64_t block = 0; block < options_.blocks[stage]; ++block) {
        const hlo::build::GraphBuilder::Scope scope(b, fmt::format("layer{}/block{}", stage + 1, block));
        x = basic_block(x, options_.width << stage, stage == 1 && block == 0 ? 2 : 1, stage > 0 && block == 0);
      }
    }
    return x;
  }

  InstructionId basic_block(InstructionId x, std::int64_t width, std::int64_t stride, bool projects) {
    const InstructionId shortcut = projects ? convolution("projection", x, width, 1, stride) : x;
    const InstructionId y = layers_.relu(convolution("conv1", x, width, 3, stride));
    return layers_.relu(b.add(convolution("conv2", y, width, 3, 1), shortcut));
  }

  /// The backbone's map and five that are computed from it, each about half the size of the one before.
  std::array<InstructionId, scales> extras(InstructionId x) {
    const std::int64_t w = options_.width;
    const std::array<std::int64_t, scales> reduced{0, 4 * w, 4 * w, 2 * w, 2 * w, 2 * w};
    const std::array<std::int64_t, scales> widths{0, 8 * w, 8 * w, 4 * w, 4 * w, 4 * w};
    std::array<InstructionId, scales> maps{x};
    for (int i = 1; i < scales; ++i) {
      const hlo::build::GraphBuilder::Scope scope(b, fmt::format("extra{}", i - 1));
      const InstructionId narrow = [&] {
        const hlo::build::GraphBuilder::Scope reduce(b, "reduce");
        return layers_.relu(layers_.bias(layers_.convolution(maps[i - 1], reduced[i], 1, 1)));
      }();
      const hlo::build::GraphBuilder::Scope conv(b, "conv");
      maps[i] = layers_.relu(layers_.bias(i < 4 ? layers_.convolution(narrow, widths[i], 3, 2)
                                                : layers_.valid_convolution(narrow, widths[i], 3)));
    }
    return maps;
  }

  /// [batch, boxes x H x W, numbers] in the type of the parameters: boxes of a kind one after another.
  InstructionId predicted(std::string_view name, InstructionId map, std::int64_t boxes, std::int64_t numbers) {
    const hlo::build::GraphBuilder::Scope scope(b, name);
    const InstructionId all = [&] {
      const InstructionId product = layers_.bias(layers_.convolution(map, boxes * numbers, 3, 1));
      const hlo::build::GraphBuilder::Scope of_map(b, "map");
      return b.convert(product, options_.precision.parameter);
    }();
    const std::vector<std::int64_t> sizes = b.shape(all).dimensions;
    const InstructionId apart = b.reshape(all, {sizes[0], sizes[1], sizes[2], boxes, numbers});
    return b.reshape(b.transpose(apart, {0, 3, 1, 2, 4}), {sizes[0], boxes * sizes[1] * sizes[2], numbers});
  }

  /// The parts of all scales. Workloads with split images annotate it, since the loss takes an image's boxes together.
  InstructionId joined(std::string_view name, const std::vector<InstructionId>& parts) {
    const hlo::build::GraphBuilder::Scope scope(b, name);
    return b.concatenate(parts, 1);
  }

  /// Cross-entropies of all boxes [batch, boxes]; adds what is held to the loss.
  InstructionId entropies(InstructionId logits, InstructionId classes, Loss& loss) {
    const std::vector<std::int64_t> sizes = b.shape(logits).dimensions;
    const InstructionId highest = b.reduce_max(logits, {2});
    loss.held.push_back(highest);
    const InstructionId shifted = b.subtract(logits, b.broadcast(highest, sizes, {0, 1}));
    const InstructionId log_sum = b.log(b.reduce_add(b.exponential(shifted), {2}));
    const InstructionId numbers = b.iota(hlo::make_shape(hlo::ElementType::s32, sizes), 2);
    const InstructionId is_class =
        b.compare(numbers, b.broadcast(classes, sizes, {0, 1}), hlo::ComparisonDirection::eq);
    const InstructionId of_class = b.reduce_add(b.select(is_class, shifted, b.full_like(shifted, 0)), {2});
    return b.subtract(log_sum, of_class);
  }

  /// Three times as many boxes without an object as with one, those with the highest entropies, and all with an object.
  InstructionId counted(InstructionId entropy, InstructionId has_object, const Target& target) {
    const hlo::build::GraphBuilder::Scope scope(b, "mining");
    const InstructionId zero = b.full_like(entropy, 0);
    const InstructionId scores = b.convert(b.select(has_object, zero, b.maximum(entropy, zero)), hlo::ElementType::f32);
    const InstructionId wanted =
        b.convert(b.multiply(target.matches, b.full_like(target.matches, negatives_per_match)), hlo::ElementType::s32);
    return b.logical_or(has_object, layers::highest_mask(b, scores, wanted));
  }

  Loss loss_of(InstructionId logits, InstructionId boxes, const Target& target) {
    Loss loss;
    const InstructionId entropy = entropies(logits, target.classes, loss);
    const InstructionId has_object =
        b.compare(target.classes, b.full_like(target.classes, 0), hlo::ComparisonDirection::gt);
    const InstructionId mask = counted(entropy, has_object, target);
    loss.held.push_back(mask);
    const InstructionId of_classes = b.reduce_add(b.select(mask, entropy, b.full_like(entropy, 0)), {1});
    const InstructionId distance = smooth_distance(b.subtract(boxes, target.boxes));
    const InstructionId of_objects =
        b.select(b.broadcast(has_object, b.shape(distance).dimensions, {0, 1}), distance, b.full_like(distance, 0));
    const InstructionId of_image = b.add(of_classes, b.reduce_add(of_objects, {1, 2}));
    const InstructionId sum = b.reduce_add(b.divide(of_image, target.matches), {0});
    loss.value = b.multiply(sum, b.full_like(sum, 1 / double(options_.batch)));
    loss.predictions = {logits, boxes};
    return loss;
  }

  /// x^2 / 2 for |x| < 1, else |x| - 1/2.
  InstructionId smooth_distance(InstructionId x) {
    const InstructionId size = b.abs(x), one = b.full_like(x, 1), half = b.full_like(x, 0.5);
    const InstructionId near = b.multiply(half, b.multiply(x, x));
    return b.select(b.compare(size, one, hlo::ComparisonDirection::lt), near, b.subtract(size, half));
  }

  hlo::build::GraphBuilder& b;
  const SsdOptions& options_;
  Layers layers_;
};

}  // namespace

std::array<std::int64_t, 6> ssd_map_sizes(const SsdOptions& options) {
  const auto half = [](std::int64_t size) { return (size + 1) / 2; };
  std::array<std::int64_t, scales> sizes{half(half(half(options.image_size)))};
  for (int i = 1; i < scales; ++i) sizes[i] = i < 4 ? half(sizes[i - 1]) : sizes[i - 1] - 2;
  return sizes;
}

std::int64_t ssd_box_count(const SsdOptions& options) {
  const std::array<std::int64_t, scales> sizes = ssd_map_sizes(options);
  std::int64_t count = 0;
  for (int i = 0; i < scales; ++i) count += sizes[i] * sizes[i] * ssd_boxes[i];
  return count;
}

TrainingStep ssd_training_step(const SsdOptions& options) {
  hlo::build::GraphBuilder b("ssd_training_step");
  Ssd network(b, options);
  const Loss loss = network.loss();
  return global_training_step(std::move(b), loss, network.trained(), options.optimizer, options.precision.gradient);
}

hlo::Module ssd_forward(const SsdOptions& options) {
  hlo::build::GraphBuilder b("ssd_forward");
  Ssd network(b, options);
  const Loss loss = network.loss();
  return std::move(b).build(loss.value);
}

}  // namespace podsim::workloads::models
