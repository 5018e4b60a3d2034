// SPDX-License-Identifier: Apache-2.0
#include "workloads/scalesim/scalesim_graph.h"

#include <utility>

#include "sw/ir/build/graph_builder.h"

namespace podsim::workloads::scalesim {
namespace {

sw::ir::Shape bf16(std::vector<std::int64_t> sizes) {
  return sw::ir::make_shape(sw::ir::ElementType::bf16, std::move(sizes));
}

sw::ir::WindowDimension window(std::int64_t input, std::int64_t filter, std::int64_t stride, std::int64_t outputs) {
  sw::ir::WindowDimension dimension;
  dimension.size = filter;
  dimension.stride = stride;
  dimension.padding_high = (outputs - 1) * stride + filter - input;
  return dimension;
}

sw::ir::InstructionId convolution(sw::ir::build::GraphBuilder& builder, const ScaleSimConvolution& c) {
  const sw::ir::InstructionId image = builder.parameter(bf16({1, c.input_height, c.input_width, c.channels}), "image");
  const sw::ir::InstructionId kernel =
      builder.parameter(bf16({c.filter_height, c.filter_width, c.channels, c.filters}), "kernel");
  return builder.convolution(image, kernel,
                             {window(c.input_height, c.filter_height, c.stride_height, c.output_height()),
                              window(c.input_width, c.filter_width, c.stride_width, c.output_width())},
                             sw::ir::build::convolution_dimensions("b01f_01io->b01f"));
}

}  // namespace

sw::ir::Module scalesim_layer_module(const ScaleSimLayer& layer) {
  sw::ir::build::GraphBuilder builder(layer.name);
  sw::ir::InstructionId root = -1;
  {
    const sw::ir::build::GraphBuilder::Scope scope(builder, layer.name);
    if (layer.convolution) {
      root = convolution(builder, *layer.convolution);
    } else {
      const MatrixProduct& p = layer.product;
      const sw::ir::InstructionId lhs = builder.parameter(bf16({p.m, p.k}), "lhs");
      root = builder.dot(lhs, builder.parameter(bf16({p.k, p.n}), "rhs"), {{}, {}, {1}, {0}});
    }
  }
  return std::move(builder).build(root);
}

}  // namespace podsim::workloads::scalesim
