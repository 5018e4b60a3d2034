// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/fc_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "workloads/layers.h"
#include "workloads/measured/measured_table.h"
#include "workloads/training_step.h"

namespace podsim::workloads::measured {
namespace {

using sw::ir::ElementType;
using sw::ir::InstructionId;

constexpr double v2_peak = 22.5e12;  ///< FLOP/s of a core
constexpr std::int64_t cores = 8;
constexpr double largest = 1 << 20;

struct FullyConnected {
  std::int64_t hidden_layers, nodes, inputs, outputs, batch;  ///< batch of a core
};

std::int64_t layer_size(const MeasuredRow& row, std::string_view column) {
  const double size = row.positive(column);
  if (size > largest) throw base::InputError(fmt::format("{} is not the size of a layer or batch", size));
  return std::int64_t(size);
}

FullyConnected network_of(const MeasuredRow& row) {
  return {layer_size(row, "hidden_layers"), layer_size(row, "nodes"), layer_size(row, "inputs"),
          layer_size(row, "outputs"), std::max<std::int64_t>(1, layer_size(row, "global_batch") / cores)};
}

double product_flops(const FullyConnected& n) {
  const double first = double(n.inputs) * double(n.nodes);
  const double others =
      double(n.hidden_layers - 1) * double(n.nodes) * double(n.nodes) + double(n.nodes) * double(n.outputs);
  return double(n.batch) * (4 * first + 6 * others);
}

sw::ir::Module step_of(const FullyConnected& n) {
  sw::ir::build::GraphBuilder b("fully_connected");
  InstructionId x = b.parameter(sw::ir::make_shape(ElementType::bf16, {n.batch, n.inputs}), "inputs");
  const InstructionId labels = b.parameter(sw::ir::make_shape(ElementType::s32, {n.batch}), "labels");
  Layers layers(b, {});
  for (std::int64_t layer = 0; layer < n.hidden_layers; ++layer) {
    const sw::ir::build::GraphBuilder::Scope scope(b, fmt::format("layer{}", layer));
    x = layers.relu(b.convert(layers.dense(x, n.nodes), ElementType::bf16));
  }
  InstructionId logits = -1;
  {
    const sw::ir::build::GraphBuilder::Scope scope(b, "logits");
    logits = layers.dense(x, n.outputs);
  }
  const Loss loss = softmax_cross_entropy(b, logits, labels, 0);
  TrainingOptions options;
  options.replicas = cores;
  options.gradient_type = ElementType::f32;
  return training_step(std::move(b), loss, layers.trained(), options).module;
}

}  // namespace

std::vector<PointClass> fc_points(const std::string& file, std::string_view text, Silicon& silicon) {
  PointClass products{.name = "products of perceptrons", .machine = "tpu-v2", .file = file, .points = {}};
  read_rows(file, text, "nodes", [&](const MeasuredRow& row) {
    if (row.empty("output_fusion_flops_percent_of_peak")) return;
    silicon.end_if_interrupted();
    const FullyConnected network = network_of(row);
    const CoreModel::Times times = silicon.core("tpu-v2").product_times_of(step_of(network));
    const double rate = v2_peak * row.positive("output_fusion_flops_percent_of_peak") / 100;
    products.points.push_back({.name = fmt::format("{} x {}, {} -> {}, batch {}", network.hidden_layers, network.nodes,
                                                   network.inputs, network.outputs, network.batch),
                               .measured = product_flops(network) / rate,
                               .modelled = times.modelled_s,
                               .roofline = times.roofline_s});
  });
  return {products};
}

}  // namespace podsim::workloads::measured
