// SPDX-License-Identifier: Apache-2.0
#include "workloads/nets/net_graph.h"

#include <utility>

#include "workloads/nets/layer_writer.h"

namespace podsim::workloads::nets {

namespace {

using hlo::build::GraphBuilder;

hlo::Shape shape_of(const Net& net, const Input& input, std::int64_t batch) {
  std::vector<std::int64_t> sizes{batch};
  sizes.insert(sizes.end(), input.sizes.begin(), input.sizes.end());
  return hlo::make_shape(input.type.value_or(net.precision.activation), std::move(sizes));
}

/// Inputs are the first parameters, or come from the infeed.
void add_inputs(GraphBuilder& b, const Net& net, const NetOptions& options, LayerWriter& writer) {
  std::vector<hlo::Shape> shapes;
  for (const Input& input : net.inputs) shapes.push_back(shape_of(net, input, options.batch));
  if (net.of_machine || !options.fed) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const GraphBuilder::Scope scope(b, net.inputs[i].name);
      writer.add_input(net.inputs[i], b.parameter(shapes[i], net.inputs[i].name));
    }
    return;
  }
  const GraphBuilder::Scope scope(b, "infeed");
  const hlo::InstructionId fed = b.infeed(hlo::make_tuple_shape(std::move(shapes)));
  for (std::size_t i = 0; i < net.inputs.size(); ++i) {
    writer.add_input(net.inputs[i], b.get_tuple_element(fed, std::int64_t(i)));
  }
}

}  // namespace

TrainingStep net_training_step(const Net& net, const NetOptions& options) {
  GraphBuilder b(net.name);
  LayerWriter writer(b, net, options);
  add_inputs(b, net, options, writer);
  const Loss loss = writer.loss();
  if (net.of_machine) return global_training_step(std::move(b), loss, writer.trained(), net.optimizer);
  return training_step(std::move(b), loss, writer.trained(), {net.optimizer, options.replicas, net.gradients});
}

TrainingStep net_decode_step(const Net& net, const NetOptions& options, const DecodeOptions& decode) {
  GraphBuilder b(net.name);
  return LayerWriter(b, net, options).decode_step(decode);
}

}  // namespace podsim::workloads::nets
