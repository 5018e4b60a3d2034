// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/ncf.h"

#include <fmt/format.h>

#include "hlo/transform/relu.h"
#include "workloads/layers/embedding.h"

namespace podsim::workloads::models::recommenders {

using hlo::ElementType;
using hlo::InstructionId;

namespace {

class Ncf {
 public:
  Ncf(hlo::build::GraphBuilder& builder, const NcfOptions& options)
      : b_(builder), options_(options), tensors_(builder, options.precision) {}

  Loss loss() {
    const InstructionId users = input("users", ElementType::s32), items = input("items", ElementType::s32);
    const InstructionId labels = input("labels", options_.precision.parameter);
    const std::int64_t factors = options_.factors, wide = options_.perceptron_factors;
    const InstructionId product = b_.multiply(rows("product", "users", users, options_.users, factors),
                                              rows("product", "items", items, options_.items, factors));
    InstructionId x = b_.concatenate({rows("perceptron", "users", users, options_.users, wide),
                                      rows("perceptron", "items", items, options_.items, wide)},
                                     1);
    for (std::size_t i = 0; i < options_.units.size(); ++i) {
      x = dense(fmt::format("layer{}", i), x, options_.units[i]);
      x = hlo::transform::relu(b_, x);
    }
    const InstructionId logits = dense("output", b_.concatenate({product, x}, 1), 1);
    return cross_entropy(b_.convert(b_.reshape(logits, {options_.batch}), options_.precision.parameter), labels);
  }

  const std::vector<TrainedTensor>& trained() const { return tensors_.all(); }

 private:
  InstructionId input(const char* name, ElementType type) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    return b_.parameter(hlo::make_shape(type, {options_.batch}), name);
  }

  InstructionId rows(const char* part, const char* name, InstructionId indices, std::int64_t count,
                     std::int64_t width) {
    const hlo::build::GraphBuilder::Scope scope(b_, part);
    const InstructionId table = tensors_.table(name, {count, width});
    const hlo::build::GraphBuilder::Scope inner(b_, name);
    return layers::embedded(tensors_, table, indices, layers::EmbeddingLookup::gather);
  }

  InstructionId dense(const std::string& name, InstructionId x, std::int64_t units) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    const InstructionId w = tensors_.weight("w", {b_.shape(x).dimensions.back(), units});
    const InstructionId product = b_.dot(x, w, {{}, {}, {1}, {0}});
    const InstructionId bias = b_.convert(tensors_.vector("b", {units}), b_.type(x));
    return b_.add(product, b_.broadcast(bias, b_.shape(product).dimensions, {1}));
  }

  /// Mean of max(z, 0) - z y + log(1 + exp(-|z|)).
  Loss cross_entropy(InstructionId z, InstructionId y) {
    const hlo::build::GraphBuilder::Scope scope(b_, "loss");
    const InstructionId tail = b_.log(b_.add(b_.exponential(b_.negate(b_.abs(z))), b_.full_like(z, 1)));
    const InstructionId each = b_.add(b_.subtract(b_.maximum(z, b_.full_like(z, 0)), b_.multiply(z, y)), tail);
    const InstructionId sum = b_.reduce_add(each, {0});
    return {b_.multiply(sum, b_.full_like(sum, 1.0 / double(options_.batch))), {}, {}, {z}};
  }

  hlo::build::GraphBuilder& b_;
  const NcfOptions& options_;
  TrainedTensors tensors_;
};

}  // namespace

TrainingStep ncf_training_step(const NcfOptions& options) {
  hlo::build::GraphBuilder b("ncf_training_step");
  Ncf network(b, options);
  const Loss loss = network.loss();
  return global_training_step(std::move(b), loss, network.trained(), options.optimizer);
}

hlo::Module ncf_forward(const NcfOptions& options) {
  hlo::build::GraphBuilder b("ncf_forward");
  Ncf network(b, options);
  const Loss loss = network.loss();
  return std::move(b).build(loss.value);
}

double ncf_flops(const NcfOptions& o) {
  std::int64_t inputs = 2 * o.perceptron_factors, weights = 0;
  for (const std::int64_t units : o.units) {
    weights += inputs * units;
    inputs = units;
  }
  weights += o.factors + inputs;
  return double(o.batch) * double(6 * weights + 3 * o.factors);
}

}  // namespace podsim::workloads::models::recommenders
