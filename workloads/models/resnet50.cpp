// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/resnet50.h"

#include <fmt/format.h>

namespace podsim::workloads::models {

using hlo::InstructionId;

namespace {

class ResNet {
 public:
  ResNet(hlo::build::GraphBuilder& builder, const ResNetOptions& options)
      : builder_(builder), options_(options), layers_(builder, options.precision) {}

  const std::vector<TrainedTensor>& trained() const { return layers_.trained(); }

  InstructionId logits(InstructionId images) {
    InstructionId x = stem(images);
    for (int stage = 0; stage < 4; ++stage) {
      for (std::int64_t block = 0; block < options_.blocks[stage]; ++block) {
        const hlo::build::GraphBuilder::Scope scope(builder_, fmt::format("layer{}/block{}", stage + 1, block));
        x = bottleneck(x, options_.width << stage, stage > 0 && block == 0 ? 2 : 1, block == 0);
      }
    }
    const hlo::build::GraphBuilder::Scope scope(builder_, "head");
    return layers_.dense(layers_.global_average_pool(x), options_.classes);
  }

 private:
  InstructionId convolution(std::string_view name, InstructionId x, std::int64_t filters, std::int64_t size,
                            std::int64_t stride) {
    const hlo::build::GraphBuilder::Scope scope(builder_, name);
    const InstructionId y = layers_.convolution(x, filters, size, stride);
    return options_.folded_norms ? layers_.bias(y) : layers_.batch_norm(y);
  }

  InstructionId stem(InstructionId images) {
    const hlo::build::GraphBuilder::Scope scope(builder_, "stem");
    return layers_.max_pool(layers_.relu(convolution("conv", images, options_.width, 7, 2)), 3, 2);
  }

  InstructionId bottleneck(InstructionId x, std::int64_t width, std::int64_t stride, bool projects) {
    const InstructionId shortcut = projects ? convolution("projection", x, 4 * width, 1, stride) : x;
    InstructionId y = layers_.relu(convolution("conv1", x, width, 1, 1));
    y = layers_.relu(convolution("conv2", y, width, 3, stride));
    y = convolution("conv3", y, 4 * width, 1, 1);
    return layers_.relu(builder_.add(y, shortcut));
  }

  hlo::build::GraphBuilder& builder_;
  const ResNetOptions& options_;
  Layers layers_;
};

hlo::Shape image_shape(const ResNetOptions& options) {
  return hlo::make_shape(options.precision.activation, {options.batch, options.image_size, options.image_size, 3});
}

struct Batch {
  InstructionId images = -1;
  InstructionId labels = -1;
};

Batch next_batch(hlo::build::GraphBuilder& b, const ResNetOptions& options) {
  const hlo::Shape labels = hlo::make_shape(hlo::ElementType::s32, {options.batch});
  if (!options.feed_in) return {b.parameter(image_shape(options), "images"), b.parameter(labels, "labels")};
  const hlo::build::GraphBuilder::Scope scope(b, "infeed");
  const InstructionId fed = b.infeed(hlo::make_tuple_shape({image_shape(options), labels}));
  return {b.get_tuple_element(fed, 0), b.get_tuple_element(fed, 1)};
}

/// The loss of a batch, and the trained tensors.
struct TrainedLoss {
  Loss loss;
  std::vector<TrainedTensor> trained;
};

TrainedLoss trained_loss(hlo::build::GraphBuilder& b, const ResNetOptions& options) {
  const Batch batch = next_batch(b, options);
  ResNet network(b, options);
  const InstructionId logits = network.logits(batch.images);
  const hlo::build::GraphBuilder::Scope scope(b, "loss");
  const Loss loss = softmax_cross_entropy(b, logits, batch.labels, options.label_smoothing);
  return {loss, network.trained()};
}

}  // namespace

TrainingStep resnet_training_step(const ResNetOptions& options) {
  hlo::build::GraphBuilder b("resnet_training_step");
  const TrainedLoss result = trained_loss(b, options);
  return training_step(std::move(b), result.loss, result.trained, options.training);
}

TrainingStep resnet_global_training_step(const ResNetOptions& options) {
  hlo::build::GraphBuilder b("resnet_global_training_step");
  const TrainedLoss result = trained_loss(b, options);
  return global_training_step(std::move(b), result.loss, result.trained, options.training.optimizer,
                              options.training.gradient_type);
}

hlo::Module resnet_forward(const ResNetOptions& options) {
  hlo::build::GraphBuilder b("resnet_forward");
  const InstructionId images = b.parameter(image_shape(options), "images");
  ResNet network(b, options);
  const InstructionId logits = network.logits(images);
  return std::move(b).build(logits);
}

TrainingStep resnet_inference(ResNetOptions options) {
  options.precision.parameter = options.precision.activation;
  options.folded_norms = true;
  hlo::build::GraphBuilder b("resnet_inference");
  const InstructionId images = b.parameter(image_shape(options), "images");
  ResNet network(b, options);
  const InstructionId logits = network.logits(images);
  std::vector<InstructionId> tensors;
  for (const TrainedTensor& tensor : network.trained()) tensors.push_back(tensor.value);
  return forward_pass(std::move(b), {logits}, tensors);
}

}  // namespace podsim::workloads::models
