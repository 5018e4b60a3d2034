// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/ssd.h"

#include <fmt/format.h>

namespace podsim::workloads::models {

using sw::ir::InstructionId;
using sw::ir::build::GraphBuilder;

namespace {

constexpr int scales = 6;

class Ssd {
 public:
  Ssd(sw::ir::build::GraphBuilder& builder, const SsdOptions& options)
      : b(builder), options_(options), layers_(builder, options.precision) {}

  Loss loss() {
    const std::int64_t batch = options_.batch, size = options_.image_size;
    const InstructionId images =
        b.parameter(sw::ir::make_shape(options_.precision.activation, {batch, size, size, 3}), "images");
    const std::array<std::int64_t, scales> sizes = ssd_map_sizes(options_);
    std::array<Target, scales> targets;
    double rows = 0;
    for (int i = 0; i < scales; ++i) {
      const std::vector<std::int64_t> places{batch, sizes[i], sizes[i], ssd_boxes[i]};
      std::vector<std::int64_t> coordinates = places;
      coordinates.push_back(4);
      targets[i].boxes =
          b.parameter(sw::ir::make_shape(options_.precision.parameter, coordinates), fmt::format("boxes{}", i));
      targets[i].classes =
          b.parameter(sw::ir::make_shape(sw::ir::ElementType::s32, places), fmt::format("classes{}", i));
      rows += double(b.shape(targets[i].classes).element_count());
    }
    const std::array<InstructionId, scales> maps = extras(backbone(images));
    Loss total;
    for (int i = 0; i < scales; ++i) {
      const sw::ir::build::GraphBuilder::Scope scope(b, fmt::format("head{}", i));
      add(total, loss_of_map(maps[i], ssd_boxes[i], targets[i], rows));
    }
    return total;
  }

  const std::vector<TrainedTensor>& trained() const { return layers_.trained(); }

 private:
  struct Target {
    InstructionId boxes = -1, classes = -1;
  };

  void add(Loss& total, const Loss& part) {
    total.value = total.value < 0 ? part.value : b.add(total.value, part.value);
    total.held.insert(total.held.end(), part.held.begin(), part.held.end());
  }

  InstructionId convolution(std::string_view name, InstructionId x, std::int64_t filters, std::int64_t size,
                            std::int64_t stride) {
    const sw::ir::build::GraphBuilder::Scope scope(b, name);
    return layers_.batch_norm(layers_.convolution(x, filters, size, stride));
  }

  /// ResNet up to the map of an eighth of the image's size, with four times the first width; the third group of blocks
  /// keeps the size.
  InstructionId backbone(InstructionId images) {
    InstructionId x = [&] {
      const sw::ir::build::GraphBuilder::Scope scope(b, "stem");
      return layers_.max_pool(layers_.relu(convolution("conv", images, options_.width, 7, 2)), 3, 2);
    }();
    for (int stage = 0; stage < 3; ++stage) {
      for (std::int64_t block = 0; block < options_.blocks[stage]; ++block) {
        const sw::ir::build::GraphBuilder::Scope scope(b, fmt::format("layer{}/block{}", stage + 1, block));
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
      const sw::ir::build::GraphBuilder::Scope scope(b, fmt::format("extra{}", i - 1));
      const InstructionId narrow = [&] {
        const sw::ir::build::GraphBuilder::Scope reduce(b, "reduce");
        return layers_.relu(layers_.bias(layers_.convolution(maps[i - 1], reduced[i], 1, 1)));
      }();
      const sw::ir::build::GraphBuilder::Scope conv(b, "conv");
      maps[i] = layers_.relu(layers_.bias(i < 4 ? layers_.convolution(narrow, widths[i], 3, 2)
                                                : layers_.valid_convolution(narrow, widths[i], 3)));
    }
    return maps;
  }

  /// [batch, H, W, boxes, numbers] in the type of the parameters.
  InstructionId predicted(std::string_view name, InstructionId map, std::int64_t boxes, std::int64_t numbers) {
    const sw::ir::build::GraphBuilder::Scope scope(b, name);
    const InstructionId all = layers_.bias(layers_.convolution(map, boxes * numbers, 3, 1));
    const std::vector<std::int64_t> sizes = b.shape(all).dimensions;
    const InstructionId apart = b.reshape(all, {sizes[0], sizes[1], sizes[2], boxes, numbers});
    return b.convert(apart, options_.precision.parameter);
  }

  /// A map's part of the sums over all boxes, divided by their number `rows`.
  Loss loss_of_map(InstructionId map, std::int64_t boxes, const Target& target, double rows) {
    const InstructionId logits = predicted("classes", map, boxes, options_.classes);
    const InstructionId found = predicted("boxes", map, boxes, 4);
    const sw::ir::build::GraphBuilder::Scope scope(b, "loss");
    Loss loss = softmax_cross_entropy(b, logits, target.classes, 0);
    const double share = double(b.shape(target.classes).element_count()) / rows;
    loss.value = b.multiply(loss.value, b.full_like(loss.value, share));
    const InstructionId distance = smooth_distance(b.subtract(found, target.boxes));
    const InstructionId has_class =
        b.compare(target.classes, b.full_like(target.classes, 0), sw::ir::ComparisonDirection::gt);
    const InstructionId counted = b.select(b.broadcast(has_class, b.shape(distance).dimensions, {0, 1, 2, 3}), distance,
                                           b.full_like(distance, 0));
    const InstructionId sum = b.reduce_add(counted, {0, 1, 2, 3, 4});
    loss.value = b.add(loss.value, b.multiply(sum, b.full_like(sum, 1 / rows)));
    return loss;
  }

  /// x^2 / 2 for |x| < 1, else |x| - 1/2.
  InstructionId smooth_distance(InstructionId x) {
    const InstructionId size = b.abs(x), one = b.full_like(x, 1), half = b.full_like(x, 0.5);
    const InstructionId near = b.multiply(half, b.multiply(x, x));
    return b.select(b.compare(size, one, sw::ir::ComparisonDirection::lt), near, b.subtract(size, half));
  }

  sw::ir::build::GraphBuilder& b;
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

TrainingStep ssd_training_step(const SsdOptions& options) {
  sw::ir::build::GraphBuilder b("ssd_training_step");
  Ssd network(b, options);
  const Loss loss = network.loss();
  return global_training_step(std::move(b), loss, network.trained(), options.optimizer);
}

sw::ir::Module ssd_forward(const SsdOptions& options) {
  sw::ir::build::GraphBuilder b("ssd_forward");
  Ssd network(b, options);
  const Loss loss = network.loss();
  return std::move(b).build(loss.value);
}

}  // namespace podsim::workloads::models
