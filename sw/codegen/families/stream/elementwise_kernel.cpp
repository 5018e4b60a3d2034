// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/elementwise_kernel.h"

#include <utility>

#include "sw/codegen/families/array_allocator.h"
#include "sw/codegen/families/stream/elementwise_chain.h"
#include "sw/codegen/families/stream/stream_kernel.h"
#include "sw/codegen/families/vector_parameters.h"

namespace podsim::sw::codegen::families::stream {

namespace {

/// Computes in f32 like the kernel, whatever the type of the arrays.
hlo::Module elementwise_reference(const ElementwiseChain& chain, const hlo::Shape& shape) {
  hlo::build::GraphBuilder graph(chain.name);
  const hlo::InstructionId x = graph.convert(graph.parameter(shape, "x"), hlo::ElementType::f32);
  const hlo::InstructionId y =
      chain.inputs == 2 ? graph.convert(graph.parameter(shape, "y"), hlo::ElementType::f32) : x;
  return std::move(graph).build(graph.convert(chain.graph(graph, x, y), shape.element_type));
}

Kernel build_elementwise(const TargetMachine& machine, const KernelArguments& arguments) {
  const ElementwiseChain& chain = elementwise_chain(arguments.choice("op"));
  const hlo::Shape shape = matrix_shape(arguments, element_type(arguments.choice("dtype")));
  Kernel kernel;
  kernel.name = kernel_name(elementwise_family(), arguments);
  ArrayAllocator places(machine);
  kernel.inputs.push_back(places.place("x", shape));
  if (chain.inputs == 2) kernel.inputs.push_back(places.place("y", shape));
  kernel.outputs.push_back(places.place("result", shape));
  kernel.reference = elementwise_reference(chain, shape);
  kernel.op = kernel.reference;
  kernel.rounding_steps = chain.rounding_steps;
  kernel.passes = "one pass: read every input once, write the result once";
  build_stream(machine, kernel,
               {[&](builder::KernelBuilder& builder, std::span<const builder::TilePair> inputs) {
                  const builder::TilePair &x = inputs.front(), &y = inputs.back();
                  return builder::TilePair{chain.code(builder, x[0], y[0]), chain.code(builder, x[1], y[1])};
                },
                builder::times(2, chain.work)});
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
          build_elementwise};
}

}  // namespace podsim::sw::codegen::families::stream
