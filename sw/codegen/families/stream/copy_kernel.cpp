// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/copy_kernel.h"

#include <utility>

#include "base/diagnostic.h"
#include "hlo/build/graph_builder.h"
#include "sw/codegen/families/array_allocator.h"
#include "sw/codegen/families/stream/retile_kernel.h"
#include "sw/codegen/families/stream/stream_kernel.h"
#include "sw/codegen/families/stream/transpose_kernel.h"
#include "sw/codegen/families/vector_parameters.h"

namespace podsim::sw::codegen::families::stream {

namespace {

hlo::Shape vector_of(const hlo::Shape& matrix) {
  return hlo::make_shape(matrix.element_type, {matrix.element_count()});
}

struct CopyShapes {
  hlo::Shape from, to;
};

CopyShapes copy_shapes(const std::string& change, const hlo::Shape& matrix) {
  if (change == "tile") return {vector_of(matrix), matrix};
  if (change == "untile") return {matrix, vector_of(matrix)};
  hlo::Shape to = matrix;
  if (change == "layout") to.minor_to_major = {0, 1};
  if (change == "convert") {
    to.element_type = matrix.element_type == hlo::ElementType::f32 ? hlo::ElementType::bf16 : hlo::ElementType::f32;
  }
  return {matrix, to};
}

hlo::Module copy_reference(const CopyShapes& shapes) {
  hlo::build::GraphBuilder graph("copy");
  const hlo::InstructionId x = graph.parameter(shapes.from, "x");
  if (shapes.from.element_type != shapes.to.element_type) {
    return std::move(graph).build(graph.convert(x, shapes.to.element_type));
  }
  if (shapes.from.rank() != shapes.to.rank()) return std::move(graph).build(graph.reshape(x, shapes.to.dimensions));
  return std::move(graph).build(graph.copy(x));
}

void build_code(const TargetMachine& machine, Kernel& kernel, const std::string& change, const hlo::Shape& matrix) {
  if (change == "layout") return build_transpose(machine, kernel, matrix.dimensions[0], matrix.dimensions[1]);
  if (change == "tile" || change == "untile") {
    return build_retile(machine, kernel, matrix.dimensions[0], matrix.dimensions[1]);
  }
  build_stream(machine, kernel,
               {[](builder::KernelBuilder&, std::span<const builder::TilePair> inputs) { return inputs[0]; }, {}});
}

Kernel build_copy(const TargetMachine& machine, const KernelArguments& arguments) {
  const std::string& change = arguments.choice("change");
  const hlo::Shape matrix = matrix_shape(arguments, element_type(arguments.choice("dtype")));
  if ((change == "tile" || change == "untile") && matrix.element_type != hlo::ElementType::f32) {
    throw base::InputError("change=" + change +
                           " moves whole words, and two bf16 share one, so dtype must be f32; change=convert makes "
                           "f32 of bf16 before, and bf16 of f32 after");
  }
  const CopyShapes shapes = copy_shapes(change, matrix);
  Kernel kernel;
  kernel.name = kernel_name(copy_family(), arguments);
  ArrayAllocator places(machine);
  kernel.inputs.push_back(places.place("x", shapes.from));
  kernel.outputs.push_back(places.place("result", shapes.to));
  kernel.reference = copy_reference(shapes);
  kernel.op = kernel.reference;
  kernel.passes = "one pass: read once, write once";
  build_code(machine, kernel, change, matrix);
  return kernel;
}

}  // namespace

KernelFamily copy_family() {
  return {"copy",
          "a matrix copied in HBM, its layout or element type changed or not",
          {choice_parameter("change",
                            "none; convert: f32 to bf16 or back; layout: {1,0} to {0,1}; tile: rows one after the "
                            "other to tiles of 8 x 128; untile: back",
                            {"none", "convert", "layout", "tile", "untile"}),
           size_parameter("rows", "rows of the matrix", 1024), size_parameter("columns", "columns of the matrix", 1024),
           dtype_parameter()},
          build_copy};
}

}  // namespace podsim::sw::codegen::families::stream
