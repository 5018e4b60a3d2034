// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/wide_resnet/wide_resnet.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace podsim::workloads::models::wide_resnet {

using hlo::InstructionId;

namespace {

constexpr std::int64_t stem_width = 16;
constexpr std::int64_t groups = 3;

class WideResNet {
 public:
  WideResNet(hlo::build::GraphBuilder& builder, const WideResNetOptions& options)
      : b_(builder), options_(options), layers_(builder, options.precision, options.norm_groups) {}

  Loss loss() {
    const hlo::ElementType type = options_.precision.activation;
    const std::int64_t size = options_.image_size;
    const InstructionId images = b_.parameter(hlo::make_shape(type, {options_.batch, size, size, 3}), "images");
    const InstructionId labels = b_.parameter(hlo::make_shape(hlo::ElementType::s32, {options_.batch}), "labels");
    InstructionId x = convolution("stem", images, stem_width, 3, 1);
    for (std::int64_t group = 0; group < groups; ++group) {
      for (std::int64_t block = 0; block < options_.blocks(); ++block) {
        const hlo::build::GraphBuilder::Scope scope(b_, fmt::format("group{}/block{}", group + 1, block));
        x = basic_block(x, (stem_width * options_.widen) << group, group > 0 && block == 0 ? 2 : 1, block == 0);
      }
    }
    const InstructionId features = layers_.global_average_pool(bent("norm", x, false));
    const InstructionId logits = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "head");
      return layers_.dense(features, options_.classes);
    }();
    const hlo::build::GraphBuilder::Scope scope(b_, "loss");
    return softmax_cross_entropy(b_, logits, labels, 0);
  }

  const Layers& layers() const { return layers_; }

 private:
  InstructionId convolution(const char* name, InstructionId x, std::int64_t filters, std::int64_t size,
                            std::int64_t stride) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    return layers_.convolution(x, filters, size, stride);
  }

  /// Normalised and without what is negative; `folds` if the value is only that of a convolution.
  InstructionId bent(const char* name, InstructionId x, bool folds) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    if (!options_.folded_norms) return layers_.relu(layers_.batch_norm(x));
    return layers_.relu(folds ? layers_.bias(x) : layers_.frozen_norm(x));
  }

  InstructionId basic_block(InstructionId x, std::int64_t width, std::int64_t stride, bool projects) {
    InstructionId y = bent("norm1", x, false);
    const InstructionId shortcut = projects ? convolution("projection", y, width, 1, stride) : x;
    y = bent("norm2", convolution("conv1", y, width, 3, stride), true);
    return b_.add(convolution("conv2", y, width, 3, 1), shortcut);
  }

  hlo::build::GraphBuilder& b_;
  const WideResNetOptions& options_;
  Layers layers_;
};

}  // namespace

TrainingStep wide_resnet_training_step(const WideResNetOptions& options) {
  hlo::build::GraphBuilder b("wide_resnet_training_step");
  WideResNet network(b, options);
  const Loss loss = network.loss();
  std::vector<std::int64_t> frozen;
  for (const InstructionId parameter : network.layers().frozen()) frozen.push_back(b[parameter].index);
  TrainingStep step = global_training_step(std::move(b), loss, network.layers().trained(), options.optimizer,
                                           options.precision.gradient);
  step.frozen = std::move(frozen);
  return step;
}

hlo::Module wide_resnet_forward(const WideResNetOptions& options) {
  hlo::build::GraphBuilder b("wide_resnet_forward");
  WideResNet network(b, options);
  const Loss loss = network.loss();
  return std::move(b).build(loss.value);
}

double wide_resnet_flops(const WideResNetOptions& o) {
  std::int64_t rows = o.image_size, inputs = stem_width;
  double flops = 4.0 * double(rows * rows * 9 * 3 * stem_width);
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::int64_t width = (stem_width * o.widen) << group;
    if (group > 0) rows = (rows + 1) / 2;
    for (std::int64_t block = 0; block < o.blocks(); ++block) {
      const std::int64_t projection = block == 0 ? inputs * width : 0;
      flops += 6.0 * double(rows * rows * (9 * inputs * width + 9 * width * width + projection));
      inputs = width;
    }
  }
  return double(o.batch) * (flops + 6.0 * double(inputs * o.classes));
}

}  // namespace podsim::workloads::models::wide_resnet
