// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/elementwise_kernel.h"

#include <utility>

#include "sw/kernels/array_places.h"
#include "sw/kernels/elementwise_chain.h"
#include "sw/kernels/stream_kernel.h"
#include "sw/kernels/vector_parameters.h"

namespace podsim::sw {

namespace {

/// In f32, whatever the arrays hold, as the kernel computes.
Module reference(const ElementwiseChain& chain, const Shape& shape) {
  GraphBuilder graph(chain.name);
  const InstructionId x = graph.convert(graph.parameter(shape, "x"), ElementType::f32);
  const InstructionId y = chain.inputs == 2 ? graph.convert(graph.parameter(shape, "y"), ElementType::f32) : x;
  return std::move(graph).build(graph.convert(chain.graph(graph, x, y), shape.element_type));
}

Kernel build(const hw::Machine& machine, const KernelArguments& arguments) {
  const ElementwiseChain& chain = elementwise_chain(arguments.choice("op"));
  const Shape shape = matrix_shape(arguments, element_type(arguments.choice("dtype")));
  Kernel kernel;
  kernel.name = kernel_name(elementwise_family(), arguments);
  ArrayPlaces places(machine);
  kernel.inputs.push_back(places.place("x", shape));
  if (chain.inputs == 2) kernel.inputs.push_back(places.place("y", shape));
  kernel.outputs.push_back(places.place("result", shape));
  kernel.reference = reference(chain, shape);
  kernel.rounding_steps = chain.rounding_steps;
  kernel.passes = "one pass: read every input once, write the result once";
  build_stream(machine, kernel,
               {[&](KernelBuilder& builder, std::span<const TilePair> inputs) {
                  const TilePair &x = inputs.front(), &y = inputs.back();
                  return TilePair{chain.code(builder, x[0], y[0]), chain.code(builder, x[1], y[1])};
                },
                times(2, chain.work)});
  return kernel;
}

}  // namespace

KernelFamily elementwise_family() {
  std::vector<std::string> names;
  std::string formulas;
  for (const ElementwiseChain& chain : elementwise_chains()) {
    names.push_back(chain.name);
    formulas += (formulas.empty() ? "" : "; ") + chain.name + ": " + chain.formula;
  }
  return {"elementwise",
          "a chain of elementwise operations on one or two matrices",
          {choice_parameter("op", formulas, names), size_parameter("rows", "rows of the matrices", 1024),
           size_parameter("columns", "columns of the matrices", 1024), dtype_parameter()},
          build};
}

}  // namespace podsim::sw
