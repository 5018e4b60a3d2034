// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/graph/opcode.h"
#include "sw/graph/shape.h"
#include "sw/graph/sharding.h"

/// The program as a graph in the shape of HLO: a module of computations, each a list of instructions in topological
/// order. Built by workloads (GraphBuilder) or read from HLO text; evaluated, differentiated, fused and compiled.
namespace podsim::sw {

struct Literal;

enum class ComparisonDirection { eq, ne, lt, le, gt, ge };
enum class FusionKind { loop, input, output, custom };

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

/// Which dimension of each array plays which role in a gather, and in a scatter under the names in parentheses.
struct GatherDimensions {
  std::vector<int> offset;     ///< of the result (updates): where a slice lies; offset_dims (update_window_dims)
  std::vector<int> collapsed;  ///< of the operand: of size 1 in a slice, dropped; collapsed_slice_dims (inserted_...)
  /// Element i of an index vector is for this dimension of the operand; start_index_map (scatter_dims_to_operand_dims).
  std::vector<int> index_map;
  std::vector<int> operand_batching, indices_batching;  ///< pairs that advance together
  int index_vector = 0;                                 ///< of the indices: the dimension of an index vector
  bool operator==(const GatherDimensions&) const = default;
};

/// How triangular-solve reads its operands: a x = b (left_side) or x a = b with a triangular matrix a.
struct TriangularOptions {
  bool left_side = false, lower = false, unit_diagonal = false, transpose = false;
  bool operator==(const TriangularOptions&) const = default;
};

/// Groups of devices as HLO's iota form has them, [count,size]<=[iota]T(permutation): 0, 1, ... as an array of sizes
/// `iota`, its dimensions permuted, cut into `count` groups of `size`. As long for 16 devices as for 8192.
struct IotaGroups {
  std::int64_t count = 1, size = 1;
  std::vector<std::int64_t> iota;
  std::vector<int> permutation;  ///< empty: as it is
  bool operator==(const IotaGroups&) const = default;
};

/// Who takes part in a collective.
struct Participants {
  std::optional<IotaGroups> iota;  ///< instead of `groups`
  /// Devices in an order; empty, and no iota, means all in one. Numbered as flat ids if use_global_device_ids, else as
  /// partitions (with a channel id) or replicas.
  std::vector<std::vector<std::int64_t>> groups;
  std::vector<std::pair<std::int64_t, std::int64_t>> source_target_pairs;  ///< collective-permute
  std::optional<std::int64_t> channel_id;
  bool use_global_device_ids = false;
  bool operator==(const Participants&) const = default;
};

/// Index of an instruction in its computation; operands always have smaller ids than their users.
using InstructionId = int;
/// Index of a computation in its module; called computations precede their callers.
using ComputationId = int;

struct Instruction {
  Opcode opcode = Opcode::parameter;
  /// Of an asynchronous pair: `start` has the opcode, operands, attributes and the result's shape of what it starts,
  /// `done` the opcode and the start as its operand.
  AsyncPhase phase = AsyncPhase::none;
  std::string name;  ///< unique in its computation, without '%'
  Shape shape;
  std::vector<InstructionId> operands;

  // Attributes; each is used by the opcodes named and default elsewhere.
  /// Parameter number, get-tuple-element index, dimension of iota, get-dimension-size and set-dimension-size, feature
  /// of a batch norm, k of topk, delta of rng-get-and-update-state.
  std::int64_t index = 0;
  /// broadcast (operand dim -> result dim), reduce, transpose, reverse, concatenate, sort, map; the one of all-gather,
  /// reduce-scatter and all-to-all; the lengths of fft.
  std::vector<std::int64_t> dimensions;
  std::vector<WindowDimension> window;  ///< convolution: spatial only; reduce-window, select-and-scatter: every dim
  ConvolutionDimensions convolution;    ///< convolution
  DotDimensions dot;                    ///< dot
  std::vector<PadDimension> padding;    ///< pad
  std::vector<SliceDimension> slice;    ///< slice
  ComparisonDirection comparison = ComparisonDirection::eq;  ///< compare
  /// compare: of real numbers by IEEE's totalOrder, -NaN before -infinity, -0 before 0, NaN after infinity.
  bool total_order = false;
  std::shared_ptr<const Literal> literal;             ///< constant; null where the text leaves it out
  std::vector<std::int64_t> slice_sizes;              ///< gather, dynamic-slice
  GatherDimensions gather;                            ///< gather, scatter
  Participants participants;                          ///< collectives
  std::int64_t feature_groups = 1, batch_groups = 1;  ///< convolution
  int exponent_bits = 0, mantissa_bits = 0;           ///< reduce-precision
  bool is_stable = false;                             ///< sort
  bool largest = true;                                ///< topk: the largest elements, else the smallest
  TriangularOptions triangular;                       ///< triangular-solve; cholesky: lower
  std::int64_t trip_count = -1;                       ///< while: known number of iterations
  double epsilon = 0;                                 ///< batch norms
  /// custom-call: target; rng: distribution; rng-bit-generator: algorithm; infeed, outfeed: configuration; fft: type;
  /// unknown: the opcode as written.
  std::string target;
  /// reduce, reduce-window, scatter, all-reduce, reduce-scatter: {combiner}; sort: {comparator};
  /// select-and-scatter: {select, scatter}; fusion, call, map, custom-call: {body}; while: {condition, body};
  /// conditional: branches, the one for true before the one for false.
  std::vector<ComputationId> called;
  FusionKind fusion_kind = FusionKind::loop;
  std::string op_name;  ///< where it comes from in the model, "layer2/block0/conv1", for reports
  /// How the value lies over the partitions: an annotation of a program that is to be partitioned, or what the
  /// parameter or result of a partitioned one is a shard of. Null: nothing is said.
  std::shared_ptr<const Sharding> sharding;
};

struct Computation {
  std::string name;
  std::vector<Instruction> instructions;
  InstructionId root = -1;
  std::vector<InstructionId> parameters;  ///< in parameter order

  const Instruction& operator[](InstructionId id) const { return instructions[id]; }
  Instruction& operator[](InstructionId id) { return instructions[id]; }
};

/// An element of the entry's result tuple that may take over the memory of the parameter it replaces.
struct Donation {
  std::int64_t output = 0;     ///< element of the result tuple; of another result 0
  std::int64_t parameter = 0;  ///< entry parameter number
  std::int64_t element = 0;    ///< of a parameter that is a tuple
  bool operator==(const Donation&) const = default;
};

struct Module {
  std::string name;
  std::vector<Computation> computations;
  ComputationId entry = -1;
  std::int64_t replicas = 1, partitions = 1;
  std::vector<Donation> donations;
  bool scheduled = false;  ///< instructions stand in the order of execution, fused and laid out

  const Computation& entry_computation() const { return computations[entry]; }
};

/// users[id] lists the instructions that read id (each once).
std::vector<std::vector<InstructionId>> users_of(const Computation& computation);

/// Marks the computations whose instructions are executed one by one: the entry, and those that executed while loops,
/// conditionals and calls name.
std::vector<bool> executed_computations(const Module& module);

/// Throws std::logic_error naming the instruction if an operand does not precede its user, a shape does not follow from
/// the operands, or a called computation is missing. For tests and after every transformation in debug builds.
void verify(const Module& module);

/// HLO-like text, for people and test failures.
std::string to_string(const Module& module);

}  // namespace podsim::sw
