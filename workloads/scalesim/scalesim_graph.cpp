// SPDX-License-Identifier: Apache-2.0
#include "workloads/scalesim/scalesim_graph.h"

#include <utility>

#include "hlo/build/graph_builder.h"

namespace podsim::workloads::scalesim {
namespace {

hlo::Shape bf16(std::vector<std::int64_t> sizes) { return hlo::make_shape(hlo::ElementType::bf16, std::move(sizes)); }

hlo::WindowDimension window(std::int64_t input, std::int64_t filter, std::int64_t stride, std::int64_t outputs) {
  hlo::WindowDimension dimension;
  dimension.size = filter;
  dimension.stride = stride;
  dimension.padding_high = (outputs - 1) * stride + filter - input;
  return dimension;
}

hlo::InstructionId convolution(hlo::build::GraphBuilder& builder, const ScaleSimConvolution& c) {
  const hlo::InstructionId image = builder.parameter(bf16({1, c.input_height, c.input_width, c.channels}), "image");
  const hlo::InstructionId kernel =
      builder.parameter(bf16({c.filter_height, c.filter_width, c.channels, c.filters}), "kernel");
  return builder.convolution(image, kernel,
                             {window(c.input_height, c.filter_height, c.stride_height, c.output_height()),
                              window(c.input_width, c.filter_width, c.stride_width, c.output_width())},
                             hlo::build::convolution_dimensions("b01f_01io->b01f"));
}

}  // namespace

hlo::Module scalesim_layer_module(const ScaleSimLayer& layer) {
  hlo::build::GraphBuilder builder(layer.name);
  hlo::InstructionId root = -1;
  {
    const hlo::build::GraphBuilder::Scope scope(builder, layer.name);
    if (layer.convolution) {
      root = convolution(builder, *layer.convolution);
    } else {
      const MatrixProduct& p = layer.product;
      const hlo::InstructionId lhs = builder.parameter(bf16({p.m, p.k}), "lhs");
      root = builder.dot(lhs, builder.parameter(bf16({p.k, p.n}), "rhs"), {{}, {}, {1}, {0}});
    }
  }
  return std::move(builder).build(root);
}

}  // namespace podsim::workloads::scalesim
