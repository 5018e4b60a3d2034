// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/inception/inception.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace podsim::workloads::models::inception {
namespace {

constexpr double auxiliary_share = 0.4;  ///< of the auxiliary loss

using hlo::InstructionId;
using Scope = hlo::build::GraphBuilder::Scope;

/// A convolution of a branch: rows x columns, padded with stride 1, or without padding.
struct Step {
  std::int64_t filters = 0, rows = 1, columns = 1, stride = 1;
  bool padded = true;
};

Step square(std::int64_t filters, std::int64_t size) { return {filters, size, size, 1, true}; }
Step reducing(std::int64_t filters) { return {filters, 3, 3, 2, false}; }

class Inception {
 public:
  Inception(hlo::build::GraphBuilder& builder, const InceptionOptions& options)
      : builder_(builder), options_(options), layers_(builder, options.precision, options.norm_groups) {}

  const std::vector<TrainedTensor>& trained() const { return layers_.trained(); }

  struct Logits {
    InstructionId main = -1, auxiliary = -1;  ///< the second is -1 without an auxiliary classifier
  };
  Logits logits(InstructionId images) {
    InstructionId x = stem(images);
    x = narrow_block("mixed_5b", x, 32);
    x = narrow_block("mixed_5c", x, 64);
    x = narrow_block("mixed_5d", x, 64);
    x = block("mixed_6a", {[&] { return branch(x, {reducing(384)}); },
                           [&] {
                             return branch(x, {square(64, 1), square(96, 3), reducing(96)});
                           },
                           [&] { return layers_.valid_max_pool(x, 3, 2); }});
    for (const auto& [name, width] :
         {std::pair{"mixed_6b", 128}, {"mixed_6c", 160}, {"mixed_6d", 160}, {"mixed_6e", 192}}) {
      x = long_block(name, x, width);
    }
    Logits result;
    if (options_.auxiliary) result.auxiliary = auxiliary_logits(x);
    x = block("mixed_7a", {[&] {
                             return branch(x, {square(192, 1), reducing(320)});
                           },
                           [&] {
                             return branch(x, {square(192, 1), {192, 1, 7}, {192, 7, 1}, reducing(192)});
                           },
                           [&] { return layers_.valid_max_pool(x, 3, 2); }});
    x = wide_block("mixed_7b", x);
    x = wide_block("mixed_7c", x);
    const Scope scope(builder_, "head");
    result.main = layers_.dense(layers_.global_average_pool(x), options_.classes);
    return result;
  }

 private:
  using Branch = std::function<InstructionId()>;

  /// A convolution, its batch norm and a ReLU.
  InstructionId convolution(InstructionId x, const Step& step) {
    const InstructionId y =
        layers_.rectangular_convolution(x, step.filters, step.rows, step.columns, step.stride, step.padded);
    return layers_.relu(options_.folded_norms ? layers_.bias(y) : layers_.batch_norm(y));
  }

  InstructionId branch(InstructionId x, const std::vector<Step>& steps) {
    int number = 0;
    for (const Step& step : steps) {
      const Scope scope(builder_, fmt::format("conv{}", number++));
      x = convolution(x, step);
    }
    return x;
  }

  InstructionId block(std::string_view name, const std::vector<Branch>& branches) {
    const Scope scope(builder_, name);
    std::vector<InstructionId> results;
    for (const Branch& compute : branches) {
      const Scope within(builder_, fmt::format("branch{}", results.size()));
      results.push_back(compute());
    }
    return joined(std::move(results));
  }

  InstructionId joined(std::vector<InstructionId> results) {
    const Scope scope(builder_, "joined");
    return builder_.concatenate(std::move(results), 3);
  }

  InstructionId pooled(InstructionId x, std::int64_t filters) {
    return branch(layers_.average_pool(x, 3), {square(filters, 1)});
  }

  /// Both 1x3 and 3x1 on the same input.
  InstructionId parted(InstructionId x, const std::vector<Step>& before) {
    x = branch(x, before);
    std::vector<InstructionId> results;
    for (const Step& step : {Step{384, 1, 3}, Step{384, 3, 1}}) {
      const Scope scope(builder_, fmt::format("part{}", results.size()));
      results.push_back(convolution(x, step));
    }
    return joined(std::move(results));
  }

  InstructionId stem(InstructionId images) {
    const Scope scope(builder_, "stem");
    InstructionId x = branch(images, {{32, 3, 3, 2, false}, {32, 3, 3, 1, false}, square(64, 3)});
    x = layers_.valid_max_pool(x, 3, 2);
    const Scope second(builder_, "second");
    x = branch(x, {{80, 1, 1, 1, false}, {192, 3, 3, 1, false}});
    return layers_.valid_max_pool(x, 3, 2);
  }

  InstructionId narrow_block(std::string_view name, InstructionId x, std::int64_t pool_filters) {
    return block(name, {[&] { return branch(x, {square(64, 1)}); },
                        [&] {
                          return branch(x, {square(48, 1), square(64, 5)});
                        },
                        [&] {
                          return branch(x, {square(64, 1), square(96, 3), square(96, 3)});
                        },
                        [&] { return pooled(x, pool_filters); }});
  }

  InstructionId long_block(std::string_view name, InstructionId x, std::int64_t w) {
    return block(name, {[&] { return branch(x, {square(192, 1)}); },
                        [&] {
                          return branch(x, {square(w, 1), {w, 1, 7}, {192, 7, 1}});
                        },
                        [&] {
                          return branch(x, {square(w, 1), {w, 7, 1}, {w, 1, 7}, {w, 7, 1}, {192, 1, 7}});
                        },
                        [&] { return pooled(x, 192); }});
  }

  InstructionId wide_block(std::string_view name, InstructionId x) {
    return block(name, {[&] { return branch(x, {square(320, 1)}); }, [&] { return parted(x, {square(384, 1)}); },
                        [&] {
                          return parted(x, {square(448, 1), square(384, 3)});
                        },
                        [&] { return pooled(x, 192); }});
  }

  InstructionId auxiliary_logits(InstructionId x) {
    const Scope scope(builder_, "auxiliary");
    x = layers_.valid_average_pool(x, 5, 3);
    x = branch(x, {square(128, 1), {768, 5, 5, 1, false}});
    return layers_.dense(layers_.global_average_pool(x), options_.classes);
  }

  hlo::build::GraphBuilder& builder_;
  const InceptionOptions& options_;
  Layers layers_;
};

InstructionId images_of(hlo::build::GraphBuilder& b, const InceptionOptions& options) {
  return b.parameter(
      hlo::make_shape(options.precision.activation, {options.batch, options.image_size, options.image_size, 3}),
      "images");
}

}  // namespace

TrainingStep inception_training_step(const InceptionOptions& options) {
  hlo::build::GraphBuilder b("inception_training_step");
  const InstructionId images = images_of(b, options);
  const InstructionId labels = b.parameter(hlo::make_shape(hlo::ElementType::s32, {options.batch}), "labels");
  Inception network(b, options);
  const Inception::Logits logits = network.logits(images);
  Loss loss;
  {
    const Scope scope(b, "loss");
    loss = softmax_cross_entropy(b, logits.main, labels, options.label_smoothing);
    if (options.auxiliary) {
      loss = with_share(b, std::move(loss), softmax_cross_entropy(b, logits.auxiliary, labels, options.label_smoothing),
                        auxiliary_share);
    }
  }
  return global_training_step(std::move(b), loss, network.trained(), options.optimizer, options.precision.gradient);
}

hlo::Module inception_forward(const InceptionOptions& options) {
  InceptionOptions own = options;
  own.auxiliary = false;
  hlo::build::GraphBuilder b("inception_forward");
  const InstructionId images = images_of(b, own);
  Inception network(b, own);
  const InstructionId logits = network.logits(images).main;
  return std::move(b).build(logits);
}

}  // namespace podsim::workloads::models::inception
