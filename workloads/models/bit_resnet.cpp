// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/bit_resnet.h"

#include <fmt/format.h>

namespace podsim::workloads::models {

using hlo::InstructionId;

namespace {

class BitResNet {
 public:
  BitResNet(hlo::build::GraphBuilder& builder, const BitResNetOptions& options)
      : b_(builder), options_(options), layers_(builder, options.precision) {}

  Loss loss() {
    const hlo::ElementType type = options_.precision.activation;
    const std::int64_t size = options_.image_size;
    const InstructionId images = b_.parameter(hlo::make_shape(type, {options_.batch, size, size, 3}), "images");
    const InstructionId labels = b_.parameter(hlo::make_shape(hlo::ElementType::s32, {options_.batch}), "labels");
    InstructionId x = layers_.max_pool(convolution("stem", images, options_.width, 7, 2), 3, 2);
    for (std::size_t group = 0; group < options_.blocks.size(); ++group) {
      for (std::int64_t block = 0; block < options_.blocks[group]; ++block) {
        const hlo::build::GraphBuilder::Scope scope(b_, fmt::format("layer{}/block{}", group + 1, block));
        x = bottleneck(x, options_.width << group, group > 0 && block == 0 ? 2 : 1, block == 0);
      }
    }
    const InstructionId features = layers_.global_average_pool(bent("norm", x));
    const InstructionId logits = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "head");
      return layers_.dense(features, options_.classes);
    }();
    const hlo::build::GraphBuilder::Scope scope(b_, "loss");
    return softmax_cross_entropy(b_, logits, labels, 0);
  }

  const std::vector<TrainedTensor>& trained() const { return layers_.trained(); }

 private:
  InstructionId convolution(const char* name, InstructionId x, std::int64_t filters, std::int64_t size,
                            std::int64_t stride) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    return layers_.standardised_convolution(x, filters, size, stride);
  }

  InstructionId bent(const char* name, InstructionId x) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    return layers_.relu(layers_.group_norm(x, options_.groups));
  }

  InstructionId bottleneck(InstructionId x, std::int64_t width, std::int64_t stride, bool projects) {
    InstructionId y = bent("norm1", x);
    const InstructionId shortcut = projects ? convolution("projection", y, 4 * width, 1, stride) : x;
    y = bent("norm2", convolution("conv1", y, width, 1, 1));
    y = bent("norm3", convolution("conv2", y, width, 3, stride));
    return b_.add(convolution("conv3", y, 4 * width, 1, 1), shortcut);
  }

  hlo::build::GraphBuilder& b_;
  const BitResNetOptions& options_;
  Layers layers_;
};

/// Rows of the result of a convolution or pool of this stride, padded by half of its size.
std::int64_t strided(std::int64_t rows, std::int64_t stride) { return (rows + stride - 1) / stride; }

}  // namespace

TrainingStep bit_resnet_training_step(const BitResNetOptions& options) {
  hlo::build::GraphBuilder b("bit_resnet_training_step");
  BitResNet network(b, options);
  const Loss loss = network.loss();
  return global_training_step(std::move(b), loss, network.trained(), options.optimizer, options.precision.gradient);
}

hlo::Module bit_resnet_forward(const BitResNetOptions& options) {
  hlo::build::GraphBuilder b("bit_resnet_forward");
  BitResNet network(b, options);
  const Loss loss = network.loss();
  return std::move(b).build(loss.value);
}

double bit_resnet_flops(const BitResNetOptions& o) {
  std::int64_t rows = strided(o.image_size, 2), inputs = o.width;
  double flops = 4.0 * double(rows * rows) * 49 * 3 * double(o.width);
  rows = strided(rows, 2);
  for (std::size_t group = 0; group < o.blocks.size(); ++group) {
    const std::int64_t width = o.width << group;
    for (std::int64_t block = 0; block < o.blocks[group]; ++block) {
      const std::int64_t before = rows * rows;
      if (group > 0 && block == 0) rows = strided(rows, 2);
      const std::int64_t after = rows * rows, projection = block == 0 ? inputs * 4 * width : 0;
      flops += 6.0 * double(before * inputs * width + after * (9 * width * width + 4 * width * width + projection));
      inputs = 4 * width;
    }
  }
  return double(o.batch) * (flops + 6.0 * double(inputs * o.classes));
}

}  // namespace podsim::workloads::models
