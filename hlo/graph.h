// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/copy_on_write.h"
#include "hlo/opcode.h"
#include "hlo/shape.h"
#include "hlo/sharding.h"

/// The program as a graph in the form of HLO: a module of computations, each a list of instructions in topological
/// order. Workloads build it (GraphBuilder), or it is read from HLO text; other modules evaluate, differentiate, fuse
/// and compile it.
namespace podsim::hlo {

struct Literal;

enum class ComparisonDirection { eq, ne, lt, le, gt, ge };
enum class FusionKind { loop, input, output, custom };

/// A spatial dimension of a window, with the fields of HLO.
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

/// The role of each dimension of the arrays of a convolution; spatial lists are in window order.
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

/// The role of each dimension of the arrays of a gather. A scatter uses the same fields under the names in parentheses;
/// its updates take the part of the gather's result.
struct GatherDimensions {
  std::vector<int> offset;     ///< dimensions of the result that index within a slice: offset_dims (update_window_dims)
  std::vector<int> collapsed;  ///< dimensions of the operand of slice size 1 that the result drops:
                               ///< collapsed_slice_dims (inserted_window_dims)
  /// Element i of an index vector indexes this dimension of the operand: start_index_map
  /// (scatter_dims_to_operand_dims).
  std::vector<int> index_map;
  std::vector<int> operand_batching, indices_batching;  ///< pairs of dimensions with the same index
  int index_vector = 0;  ///< dimension of the indices along which an index vector extends
  bool operator==(const GatherDimensions&) const = default;
};

/// Operand forms of triangular-solve: a x = b (left_side) or x a = b, with a triangular matrix a.
struct TriangularOptions {
  bool left_side = false, lower = false, unit_diagonal = false, transpose = false;
  bool operator==(const TriangularOptions&) const = default;
};

/// Groups of devices in HLO's iota form [count,size]<=[iota]T(permutation): the numbers 0, 1, ... fill an array of
/// sizes `iota`, whose dimensions are permuted and which is divided into `count` groups of `size`. The form has the
/// same length for 16 devices as for 8192.
struct IotaGroups {
  std::int64_t count = 1, size = 1;
  std::vector<std::int64_t> iota;
  std::vector<int> permutation;  ///< empty: no permutation
  bool operator==(const IotaGroups&) const = default;
};

/// The devices that participate in a collective.
struct Participants {
  std::optional<IotaGroups> iota;  ///< instead of `groups`
  /// Devices of each group, in order; empty without `iota` means one group of all. The numbers are flat ids if
  /// use_global_device_ids is set, else partitions (with a channel id) or replicas.
  std::vector<std::vector<std::int64_t>> groups;
  std::vector<std::pair<std::int64_t, std::int64_t>> source_target_pairs;  ///< of a collective-permute, a send, a recv
  std::optional<std::int64_t> channel_id;
  bool use_global_device_ids = false;
  bool operator==(const Participants&) const = default;
};

/// Index of an instruction in its computation. Operands have smaller ids than their users.
using InstructionId = int;
/// Index of a computation in its module. Called computations precede their callers.
using ComputationId = int;

struct Instruction {
  Opcode opcode = Opcode::parameter;
  /// Phase of an asynchronous pair. A `start` has the opcode, operands, attributes and result shape of the operation
  /// that it starts; a `done` has the same opcode, and the start as its operand.
  AsyncPhase phase = AsyncPhase::none;
  std::string name;  ///< unique in its computation, without '%'
  Shape shape;
  std::vector<InstructionId> operands;

  // Attributes: each is used by the opcodes that its comment names and has its default value in all others.
  /// Parameter number; get-tuple-element index; dimension of iota, get-dimension-size and set-dimension-size; feature
  /// dimension of a batch norm; k of topk; delta of rng-get-and-update-state.
  std::int64_t index = 0;
  /// broadcast (operand dimension -> result dimension), reduce, transpose, reverse, concatenate, sort, map; the single
  /// dimension of all-gather, reduce-scatter and all-to-all; the lengths of fft; the ragged dimension of ragged-dot,
  /// and that of its groups if it has one; the dimensions of an annotation that may be split further.
  std::vector<std::int64_t> dimensions;
  std::vector<WindowDimension>
      window;  ///< convolution: spatial dimensions only; reduce-window, select-and-scatter: all dimensions
  base::CopyOnWrite<ConvolutionDimensions> convolution;      ///< convolution
  base::CopyOnWrite<DotDimensions> dot;                      ///< dot, ragged-dot
  std::vector<PadDimension> padding;                         ///< pad
  std::vector<SliceDimension> slice;                         ///< slice
  ComparisonDirection comparison = ComparisonDirection::eq;  ///< compare
  /// compare: orders real numbers by IEEE's totalOrder, with -NaN before -infinity, -0 before 0, and NaN after
  /// infinity.
  bool total_order = false;
  std::shared_ptr<const Literal> literal;  ///< constant; null if the text elides the value
  /// gather, dynamic-slice; collective-permute into an array: of all slices, one after the other (permuted_slices.h)
  std::vector<std::int64_t> slice_sizes;
  base::CopyOnWrite<GatherDimensions> gather;         ///< gather, scatter
  base::CopyOnWrite<Participants> participants;       ///< collectives
  std::int64_t feature_groups = 1, batch_groups = 1;  ///< convolution
  int exponent_bits = 0, mantissa_bits = 0;           ///< reduce-precision
  bool is_stable = false;                             ///< sort
  bool largest = true;                                ///< topk: selects the largest elements, else the smallest
  TriangularOptions triangular;                       ///< triangular-solve; cholesky uses `lower`
  std::int64_t trip_count = -1;                       ///< while: known trip count, -1 if unknown
  double epsilon = 0;                                 ///< batch norms
  /// custom-call: target; rng: distribution; rng-bit-generator, dot: algorithm; infeed, outfeed: configuration; fft:
  /// type; maximum, minimum: tie_to_second (attribute_text.h) or empty; copy: stopped_gradient, lost_gradient
  /// (attribute_text.h) or empty; triangular-solve: adjoint or empty; unknown: opcode as written.
  std::string target;
  std::string operand_precision;  ///< dot, convolution: "{highest,default}"; empty if the text has none
  /// reduce, reduce-window, scatter, all-reduce, reduce-scatter: {combiner}; sort: {comparator}; select-and-scatter:
  /// {select, scatter}; fusion, call, map, custom-call: {body}; while: {condition, body}; conditional: branches, the
  /// one for true before the one for false.
  std::vector<ComputationId> called;
  FusionKind fusion_kind = FusionKind::loop;
  std::string op_name;  ///< origin in the model, "layer2/block0/conv1", for reports
  std::string source;   ///< origin in the model's source, "source_file=\"model.py\" source_line=12"
  /// Sharding of the value over the partitions. In a program that is still to be partitioned it is an annotation; in a
  /// partitioned one it says which shard a parameter or result is. Null: no sharding given.
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

/// An output of the entry computation that may take over the memory of a parameter.
struct Donation {
  std::int64_t output = 0;     ///< element of the result tuple; 0 if the result is not a tuple
  std::int64_t parameter = 0;  ///< number of the entry parameter
  std::int64_t element = 0;    ///< element of the parameter if it is a tuple
  bool operator==(const Donation&) const = default;
};

struct Module {
  std::string name;
  std::vector<Computation> computations;
  ComputationId entry = -1;
  std::int64_t replicas = 1, partitions = 1;
  std::vector<Donation> donations;
  std::string buffer_donors;  ///< entry parameters whose memory may be reused, as in the text: "{ (0, {}) }"
  bool scheduled = false;     ///< instructions are in order of execution, fused and laid out

  const Computation& entry_computation() const { return computations[entry]; }
};

/// users[id] lists the instructions that read id, each once.
std::vector<std::vector<InstructionId>> users_of(const Computation& computation);

/// Marks the computations whose instructions run one by one: the entry, and those called by while loops, conditionals,
/// calls and asynchronous starts of marked computations.
std::vector<bool> executed_computations(const Module& module);

/// HLO text of the module, which reads back as the same graph if its names are valid (with_hlo_names).
std::string to_string(const Module& module);

}  // namespace podsim::hlo
