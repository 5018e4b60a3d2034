// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

namespace podsim::sw {

/// Writes the entry computation of a module one instruction at a time, with shape inference. A wrong operand is a bug
/// of the caller: it throws std::logic_error naming the instruction.
///
/// An instruction equal to an earlier one (same opcode, operands, attributes) is not repeated: the earlier id comes
/// back, as XLA's common-subexpression elimination would have it. Parameters, infeeds, outfeeds and barriers are never
/// shared.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name);

  /// While it lives, instructions get op_name "outer/inner/..."; the gradient of "x" is written under "gradients/x".
  class [[nodiscard]] Scope {
   public:
    Scope(GraphBuilder& builder, std::string_view name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    GraphBuilder& builder_;
    std::string outer_;
  };

  /// Any instruction, its operands and attributes given; the shape is inferred, where the opcode leaves a choice from
  /// the one that is given. A name and an op_name of its own are kept.
  InstructionId add(Instruction instruction) { return append(std::move(instruction)); }
  /// Says how a value lies over the partitions.
  void annotate(InstructionId id, Sharding sharding);

  InstructionId parameter(Shape shape, std::string name);
  InstructionId constant(Literal literal);
  /// A scalar, rounded to the type.
  InstructionId constant(ElementType type, double value);
  /// A scalar constant broadcast to the shape.
  InstructionId full(const Shape& shape, double value);
  InstructionId full_like(InstructionId value, double number) { return full(shape(value), number); }
  InstructionId iota(Shape shape, std::int64_t dimension);
  InstructionId infeed(Shape shape);
  InstructionId outfeed(InstructionId value);
  InstructionId tuple(std::vector<InstructionId> elements);
  InstructionId get_tuple_element(InstructionId tuple, std::int64_t index);

  InstructionId negate(InstructionId x) { return unary(Opcode::negate, x); }
  InstructionId abs(InstructionId x) { return unary(Opcode::abs, x); }
  InstructionId exponential(InstructionId x) { return unary(Opcode::exponential, x); }
  InstructionId log(InstructionId x) { return unary(Opcode::log, x); }
  InstructionId sqrt(InstructionId x) { return unary(Opcode::sqrt, x); }
  InstructionId rsqrt(InstructionId x) { return unary(Opcode::rsqrt, x); }
  InstructionId tanh(InstructionId x) { return unary(Opcode::tanh, x); }
  InstructionId sign(InstructionId x) { return unary(Opcode::sign, x); }
  InstructionId copy(InstructionId x) { return unary(Opcode::copy, x); }
  InstructionId add(InstructionId x, InstructionId y) { return binary(Opcode::add, x, y); }
  InstructionId subtract(InstructionId x, InstructionId y) { return binary(Opcode::subtract, x, y); }
  InstructionId multiply(InstructionId x, InstructionId y) { return binary(Opcode::multiply, x, y); }
  InstructionId divide(InstructionId x, InstructionId y) { return binary(Opcode::divide, x, y); }
  InstructionId maximum(InstructionId x, InstructionId y) { return binary(Opcode::maximum, x, y); }
  InstructionId minimum(InstructionId x, InstructionId y) { return binary(Opcode::minimum, x, y); }
  InstructionId power(InstructionId x, InstructionId y) { return binary(Opcode::power, x, y); }
  InstructionId logical_and(InstructionId x, InstructionId y) { return binary(Opcode::logical_and, x, y); }
  InstructionId logical_or(InstructionId x, InstructionId y) { return binary(Opcode::logical_or, x, y); }
  InstructionId unary(Opcode opcode, InstructionId x);
  InstructionId binary(Opcode opcode, InstructionId x, InstructionId y);
  InstructionId compare(InstructionId x, InstructionId y, ComparisonDirection direction);
  InstructionId select(InstructionId predicate, InstructionId on_true, InstructionId on_false);
  /// `x` itself when it has the type; converting there and back through a wider type is dropped, since it is exact.
  InstructionId convert(InstructionId x, ElementType type);

  /// dimensions[i] is the result dimension of operand dimension i; a scalar takes none.
  InstructionId broadcast(InstructionId x, std::vector<std::int64_t> sizes, std::vector<std::int64_t> dimensions = {});
  InstructionId reshape(InstructionId x, std::vector<std::int64_t> sizes);
  /// Result dimension i is operand dimension permutation[i].
  InstructionId transpose(InstructionId x, std::vector<std::int64_t> permutation);
  InstructionId reverse(InstructionId x, std::vector<std::int64_t> dimensions);
  InstructionId pad(InstructionId x, InstructionId value, std::vector<PadDimension> padding);
  InstructionId slice(InstructionId x, std::vector<SliceDimension> slice);
  InstructionId concatenate(std::vector<InstructionId> operands, std::int64_t dimension);

  /// The result has the element type of the input.
  InstructionId convolution(InstructionId input, InstructionId kernel, std::vector<WindowDimension> window,
                            ConvolutionDimensions dimensions);
  /// The result has the element type of lhs.
  InstructionId dot(InstructionId lhs, InstructionId rhs, DotDimensions dimensions);
  InstructionId reduce(InstructionId x, InstructionId initial, std::vector<std::int64_t> dimensions,
                       ComputationId combiner);
  InstructionId reduce_add(InstructionId x, std::vector<std::int64_t> dimensions);
  InstructionId reduce_max(InstructionId x, std::vector<std::int64_t> dimensions);
  InstructionId reduce_window(InstructionId x, InstructionId initial, std::vector<WindowDimension> window,
                              ComputationId combiner);
  InstructionId reduce_window_add(InstructionId x, std::vector<WindowDimension> window);
  InstructionId reduce_window_max(InstructionId x, std::vector<WindowDimension> window);
  InstructionId select_and_scatter(InstructionId x, InstructionId source, InstructionId initial,
                                   std::vector<WindowDimension> window, ComputationId select, ComputationId scatter);
  /// Index vectors along the last dimension of `indices`.
  InstructionId gather(InstructionId x, InstructionId indices, GatherDimensions dimensions,
                       std::vector<std::int64_t> slice_sizes);
  InstructionId scatter(InstructionId x, InstructionId indices, InstructionId updates, GatherDimensions dimensions,
                        ComputationId combiner);
  /// starts: a scalar integer for each dimension.
  InstructionId dynamic_slice(InstructionId x, const std::vector<InstructionId>& starts,
                              std::vector<std::int64_t> sizes);
  InstructionId dynamic_update_slice(InstructionId x, InstructionId update, const std::vector<InstructionId>& starts);
  /// u32 scalar
  InstructionId partition_id();
  /// condition and body take the state as their only parameter. trip_count -1: not known.
  InstructionId while_loop(InstructionId state, ComputationId condition, ComputationId body,
                           std::int64_t trip_count = -1);
  /// index: pred or s32; one operand for each branch.
  InstructionId conditional(InstructionId index, std::vector<InstructionId> operands,
                            std::vector<ComputationId> branches);
  InstructionId call(std::vector<InstructionId> operands, ComputationId body);

  /// Adds up over all partitions.
  InstructionId all_reduce(InstructionId x);
  InstructionId all_reduce(std::vector<InstructionId> operands);

  /// The scalar computation (x, y) -> x op y on a type, made on demand and shared.
  ComputationId combiner(Opcode opcode, ElementType type);
  /// The scalar predicate (x, y) -> x direction y.
  ComputationId comparator(ComparisonDirection direction, ElementType type);

  /// Another builder's entry, up to `root`, as a computation by its builder's name: a loop's body, a branch. It is
  /// spent.
  ComputationId computation(GraphBuilder body, InstructionId root);
  /// A copy of another module's computation with those that it calls.
  ComputationId copy_computation(const Module& from, ComputationId id);

  const Instruction& operator[](InstructionId id) const { return entry_[id]; }
  const Shape& shape(InstructionId id) const { return entry_[id].shape; }
  ElementType type(InstructionId id) const { return entry_[id].shape.element_type; }
  int size() const { return int(entry_.instructions.size()); }
  const std::vector<Computation>& called_computations() const { return called_; }
  /// The op_name that new instructions get.
  const std::string& scope() const { return scope_; }

  /// The module, with the entry computation last; what neither the root, a parameter, an infeed nor an outfeed needs is
  /// left out and ids change accordingly. The builder is spent.
  Module build(InstructionId root) &&;

 private:
  InstructionId append(Instruction instruction);
  InstructionId find_equal(const Instruction& instruction, std::size_t hash) const;
  void drop_unused();
  ComputationId scalar_function(std::string name, ElementType type, Instruction root);

  std::string name_;
  std::string scope_;
  Computation entry_;
  std::vector<Computation> called_;
  std::map<std::string, ComputationId> called_by_name_;
  std::unordered_multimap<std::size_t, InstructionId> by_hash_;
};

/// The least value of a type: -infinity, or the smallest integer. What a maximum starts from.
double lowest_value(ElementType type);

/// Dimension numbers of a 2-D convolution in the order that input, kernel and output write them: "b01f_01io->b01f".
/// Digits are spatial dimensions; i and o the kernel's features.
ConvolutionDimensions convolution_dimensions(std::string_view labels);

}  // namespace podsim::sw
