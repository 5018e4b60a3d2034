// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/patch_network.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "workloads/layers/dropout.h"
#include "workloads/layers/normalization.h"

namespace podsim::workloads::models {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

namespace {

class PatchNetwork {
 public:
  PatchNetwork(GraphBuilder& builder, const PatchNetworkOptions& options)
      : b_(builder), options_(options), tensors_(builder, options.precision) {}

  Loss loss() {
    const std::int64_t size = options_.image_size;
    const InstructionId images = input("images", options_.precision.activation, {options_.batch, size, size, 3});
    const InstructionId labels = input("labels", hlo::ElementType::s32, {options_.batch});
    InstructionId x = embedded(images);
    for (std::int64_t i = 0; i < options_.layers; ++i) {
      const GraphBuilder::Scope scope(b_, fmt::format("layer{}", i));
      x = has_attention() ? block("attention", x, [&](InstructionId y) { return attended(y); })
                          : block("patches", x, [&](InstructionId y) { return mixed(y); });
      x = block("ffn", x, [&](InstructionId y) { return layers::feed_forward(tensors_, y, options_.feed_forward); });
    }
    const InstructionId read = class_of([&] {
      const GraphBuilder::Scope scope(b_, "final_norm");
      return layers::normalized(tensors_, x, layers::NormKind::layer_norm);
    }());
    const GraphBuilder::Scope scope(b_, "head");
    const InstructionId logits = b_.convert(dense(read, options_.classes), options_.precision.parameter);
    Loss result = softmax_cross_entropy(b_, logits, labels, 0);
    result.given.insert(result.given.end(), given_.begin(), given_.end());
    return result;
  }

  const std::vector<TrainedTensor>& trained() const { return tensors_.all(); }

 private:
  bool has_attention() const { return options_.mixing == PatchMixing::attention; }

  InstructionId input(std::string_view name, hlo::ElementType type, std::vector<std::int64_t> sizes) {
    const GraphBuilder::Scope scope(b_, name);
    return b_.parameter(hlo::make_shape(type, std::move(sizes)), std::string(name));
  }

  /// The patches of every image, [batch, tokens, M].
  InstructionId embedded(InstructionId images) {
    const std::int64_t side = options_.image_size / options_.patch, model = options_.model;
    const hlo::WindowDimension window{.size = options_.patch, .stride = options_.patch};
    const InstructionId patches = [&] {
      const GraphBuilder::Scope scope(b_, "embed");
      const InstructionId w = tensors_.weight("w", {options_.patch, options_.patch, 3, model});
      const InstructionId product =
          b_.convolution(images, w, {window, window}, hlo::build::convolution_dimensions("b01f_01io->b01f"));
      return plus(product, tensors_.vector("b", {model}));
    }();
    InstructionId x = b_.reshape(patches, {options_.batch, side * side, model});
    if (has_attention()) {
      const InstructionId token = tensors_.weight("class_token", {1, model});
      x = b_.concatenate({b_.broadcast(token, {options_.batch, 1, model}, {1, 2}), x}, 1);
      const InstructionId places = tensors_.weight("position_embedding", {options_.tokens(), model});
      x = b_.add(x, b_.broadcast(places, b_.shape(x).dimensions, {1, 2}));
    }
    return layers::dropped(b_, x, options_.dropout);
  }

  /// x plus a block of its norm.
  template <typename Block>
  InstructionId block(std::string_view name, InstructionId x, const Block& block_of) {
    const GraphBuilder::Scope scope(b_, name);
    const InstructionId normed = [&] {
      const GraphBuilder::Scope norm(b_, "norm");
      return layers::normalized(tensors_, x, layers::NormKind::layer_norm);
    }();
    const InstructionId change = layers::dropped(b_, block_of(normed), options_.dropout);
    const GraphBuilder::Scope residual(b_, "residual");
    return b_.add(x, change);
  }

  InstructionId attended(InstructionId x) {
    const layers::AttentionResult found = layers::attention(tensors_, x, x, {}, options_.attention);
    given_.push_back(found.softmax);
    return found.value;
  }

  /// A perceptron over the patches of each channel.
  InstructionId mixed(InstructionId x) {
    layers::FeedForwardOptions over_patches = options_.feed_forward;
    over_patches.hidden = options_.hidden_patches;
    return b_.transpose(layers::feed_forward(tensors_, b_.transpose(x, {0, 2, 1}), over_patches), {0, 2, 1});
  }

  /// What the class is read from, [batch, M].
  InstructionId class_of(InstructionId x) {
    const GraphBuilder::Scope scope(b_, "read");
    if (has_attention()) {
      const InstructionId first = b_.slice(x, {{0, options_.batch}, {0, 1}, {0, options_.model}});
      return b_.reshape(first, {options_.batch, options_.model});
    }
    const InstructionId sum = b_.reduce_add(b_.convert(x, options_.precision.parameter), {1});
    return b_.convert(b_.multiply(sum, b_.full_like(sum, 1 / double(options_.patches()))), b_.type(x));
  }

  /// x [rows, features] w + b.
  InstructionId dense(InstructionId x, std::int64_t units) {
    const InstructionId w = tensors_.weight("w", {b_.shape(x).dimensions[1], units});
    return plus(b_.dot(x, w, {{}, {}, {1}, {0}}), tensors_.vector("b", {units}));
  }

  /// x plus a vector over its last dimension.
  InstructionId plus(InstructionId x, InstructionId bias) {
    return b_.add(x, b_.broadcast(b_.convert(bias, b_.type(x)), b_.shape(x).dimensions, {b_.shape(x).rank() - 1}));
  }

  GraphBuilder& b_;
  const PatchNetworkOptions& options_;
  TrainedTensors tensors_;
  std::vector<hlo::transform::GivenGradient> given_;
};

/// Elements of the weights of a layer's products, those of its vectors, and multiplications of an image.
struct LayerSize {
  double products = 0, vectors = 0, multiplications = 0;
};

LayerSize layer_size(const PatchNetworkOptions& o) {
  const auto model = double(o.model), hidden = double(o.feed_forward.hidden), tokens = double(o.tokens());
  LayerSize size{2 * model * hidden, hidden + model + 4 * model, 2 * model * hidden * tokens};
  if (o.mixing == PatchMixing::attention) {
    const auto heads = double(o.attention.heads * o.attention.head_size);
    size.products += 4 * model * heads;
    size.vectors += 3 * heads + model;
    size.multiplications += 4 * model * heads * tokens + 2 * heads * tokens * tokens;
  } else {
    const auto over_patches = double(o.hidden_patches);
    size.products += 2 * tokens * over_patches;
    size.vectors += over_patches + tokens;
    size.multiplications += 2 * tokens * over_patches * model;
  }
  return size;
}

}  // namespace

TrainingStep patch_training_step(const PatchNetworkOptions& options) {
  GraphBuilder b("patch_training_step");
  PatchNetwork network(b, options);
  const Loss loss = network.loss();
  return global_training_step(std::move(b), loss, network.trained(), options.optimizer, options.precision.gradient);
}

hlo::Module patch_forward(const PatchNetworkOptions& options) {
  GraphBuilder b("patch_forward");
  PatchNetwork network(b, options);
  const Loss loss = network.loss();
  return std::move(b).build(loss.value);
}

std::int64_t patch_parameter_count(const PatchNetworkOptions& o) {
  const LayerSize layer = layer_size(o);
  const std::int64_t embed = (o.patch * o.patch * 3 + 1) * o.model, head = (o.model + 1) * o.classes;
  const std::int64_t places = o.mixing == PatchMixing::attention ? (1 + o.tokens()) * o.model : 0;
  return embed + places + o.layers * std::int64_t(layer.products + layer.vectors) + 2 * o.model + head;
}

double patch_flops(const PatchNetworkOptions& o) {
  const double embed = double(o.patches() * o.patch * o.patch * 3 * o.model), head = double(o.model * o.classes);
  const double forward = embed + double(o.layers) * layer_size(o).multiplications + head;
  return 2 * double(o.batch) * (3 * forward - embed);
}

}  // namespace podsim::workloads::models
