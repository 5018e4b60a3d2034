// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sw/graph/shape.h"

/// The program as a graph in the shape of HLO: a module of computations, each a list of instructions in topological
/// order. Built by workloads (GraphBuilder) or read from HLO text; evaluated, differentiated, fused and compiled.
namespace podsim::sw {

struct Literal;

enum class Opcode {
  parameter,
  constant,
  iota,
  tuple,
  get_tuple_element,
  // elementwise, one operand
  negate,
  abs,
  exponential,
  log,
  sqrt,
  rsqrt,
  tanh,
  sign,
  convert,
  copy,
  // elementwise, two operands
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  power,
  compare,
  logical_and,
  logical_or,
  // elementwise, three operands
  select,
  // shape
  broadcast,
  reshape,
  transpose,
  reverse,
  pad,
  slice,
  concatenate,
  // contractions and windows
  convolution,
  dot,
  reduce,
  reduce_window,
  select_and_scatter,
  // communication and host
  all_reduce,
  infeed,
  outfeed,
  // called computations
  fusion,
};

/// HLO's name of an opcode: "get-tuple-element", "reduce-window".
std::string_view to_string(Opcode opcode);
bool is_elementwise(Opcode opcode);

enum class ComparisonDirection { eq, ne, lt, le, gt, ge };
enum class FusionKind { loop, input, output };

/// One spatial dimension of a window, in HLO's terms.
struct WindowDimension {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t padding_low = 0;
  std::int64_t padding_high = 0;
  std::int64_t base_dilation = 1;
  std::int64_t window_dilation = 1;
  bool window_reversal = false;
  bool operator==(const WindowDimension&) const = default;
};

/// Which dimension of each array plays which role; spatial lists are in window order.
struct ConvolutionDimensions {
  int input_batch = 0, input_feature = 0;
  std::vector<int> input_spatial;
  int kernel_input_feature = 0, kernel_output_feature = 0;
  std::vector<int> kernel_spatial;
  int output_batch = 0, output_feature = 0;
  std::vector<int> output_spatial;
  bool operator==(const ConvolutionDimensions&) const = default;
};

struct DotDimensions {
  std::vector<int> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
  bool operator==(const DotDimensions&) const = default;
};

struct PadDimension {
  std::int64_t low = 0, high = 0, interior = 0;
  bool operator==(const PadDimension&) const = default;
};

struct SliceDimension {
  std::int64_t start = 0, limit = 0, stride = 1;
  bool operator==(const SliceDimension&) const = default;
};

/// Index of an instruction in its computation; operands always have smaller ids than their users.
using InstructionId = int;
/// Index of a computation in its module; called computations precede their callers.
using ComputationId = int;

struct Instruction {
  Opcode opcode = Opcode::parameter;
  std::string name;  ///< unique in its computation, without '%'
  Shape shape;
  std::vector<InstructionId> operands;

  // Attributes; each is used by the opcodes named and default elsewhere.
  std::int64_t index = 0;  ///< parameter number, get-tuple-element index, iota dimension
  std::vector<std::int64_t>
      dimensions;  ///< broadcast (operand dim -> result dim), reduce, transpose, reverse, concatenate
  std::vector<WindowDimension> window;  ///< convolution: spatial only; reduce-window, select-and-scatter: every dim
  ConvolutionDimensions convolution;    ///< convolution
  DotDimensions dot;                    ///< dot
  std::vector<PadDimension> padding;    ///< pad
  std::vector<SliceDimension> slice;    ///< slice
  ComparisonDirection comparison = ComparisonDirection::eq;  ///< compare
  std::shared_ptr<const Literal> literal;                    ///< constant
  /// reduce, reduce-window, all-reduce: {combiner}; select-and-scatter: {select, scatter}; fusion: {body}.
  std::vector<ComputationId> called;
  FusionKind fusion_kind = FusionKind::loop;
  std::string op_name;  ///< where it comes from in the model, "layer2/block0/conv1", for reports
};

struct Computation {
  std::string name;
  std::vector<Instruction> instructions;
  InstructionId root = -1;
  std::vector<InstructionId> parameters;  ///< in parameter order

  const Instruction& operator[](InstructionId id) const { return instructions[id]; }
  Instruction& operator[](InstructionId id) { return instructions[id]; }
};

struct Module {
  std::string name;
  std::vector<Computation> computations;
  ComputationId entry = -1;

  const Computation& entry_computation() const { return computations[entry]; }
};

/// users[id] lists the instructions that read id (each once).
std::vector<std::vector<InstructionId>> users_of(const Computation& computation);

/// Throws std::logic_error naming the instruction if an operand does not precede its user, a shape does not follow from
/// the operands, or a called computation is missing. For tests and after every transformation in debug builds.
void verify(const Module& module);

/// HLO-like text, for people and test failures.
std::string to_string(const Module& module);

}  // namespace podsim::sw
