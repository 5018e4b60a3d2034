// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::build {

/// Writes the entry computation of a module one instruction at a time, and infers shapes. A wrong operand is a bug of
/// the caller: it throws std::logic_error naming the instruction.
///
/// An instruction equal to an earlier one (same opcode, operands, attributes) is not appended; the call returns the id
/// of the earlier one, as after XLA's common-subexpression elimination. Exceptions are opt-barriers and the
/// instructions that is_shareable excludes: parameters, infeeds, outfeeds, sends, receives, random numbers and custom
/// calls.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name);

  /// Gives instructions that are added during its lifetime the op_name "outer/inner/...". The gradient of "x" has
  /// op_name "gradients/x".
  class [[nodiscard]] Scope {
   public:
    Scope(GraphBuilder& builder, std::string_view name);
    /// Also gives new instructions their Instruction::source.
    Scope(GraphBuilder& builder, std::string_view name, std::string source);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    GraphBuilder& builder_;
    std::string outer_, outer_source_;
  };

  /// Adds any instruction with its operands and attributes. The shape is inferred; where the opcode leaves the result
  /// to the writer, it is taken from `instruction`. A name and an op_name that are set are kept.
  InstructionId add(Instruction instruction) { return append(std::move(instruction)); }
  /// Sets the sharding of a value.
  void annotate(InstructionId id, Sharding sharding);

  InstructionId parameter(Shape shape, std::string name);
  InstructionId constant(Literal literal);
  /// A scalar, rounded to the type.
  InstructionId constant(ElementType type, double value);
  /// A scalar constant broadcast to the shape.
  InstructionId full(const Shape& shape, double value);
  InstructionId full_like(InstructionId value, double number) { return full(shape(value), number); }
  InstructionId iota(Shape shape, std::int64_t dimension);
  /// A token of its own.
  InstructionId after_all();
  /// The data of an infeed, whose token nothing waits for.
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
  /// Returns `x` itself if it has the type. A conversion through a wider type and back is dropped, since it is exact.
  InstructionId convert(InstructionId x, ElementType to);

  /// dimensions[i] is the result dimension of operand dimension i; empty for a scalar.
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
  /// Index vectors extend along the last dimension of `indices`.
  InstructionId gather(InstructionId x, InstructionId indices, GatherDimensions dimensions,
                       std::vector<std::int64_t> slice_sizes);
  InstructionId scatter(InstructionId x, InstructionId indices, InstructionId updates, GatherDimensions dimensions,
                        ComputationId combiner);
  /// `starts` has a scalar integer for each dimension.
  InstructionId dynamic_slice(InstructionId x, const std::vector<InstructionId>& starts,
                              std::vector<std::int64_t> sizes);
  InstructionId dynamic_update_slice(InstructionId x, InstructionId update, const std::vector<InstructionId>& starts);
  /// A u32 scalar.
  InstructionId partition_id();
  /// `condition` and `body` take the state as their only parameter. A trip_count of -1 means unknown.
  InstructionId while_loop(InstructionId state, ComputationId condition, ComputationId body,
                           std::int64_t trip_count = -1);
  /// `index` is pred or s32; each branch has one operand.
  InstructionId conditional(InstructionId index, std::vector<InstructionId> operands,
                            std::vector<ComputationId> branches);
  InstructionId call(std::vector<InstructionId> operands, ComputationId body);

  /// Sum over all partitions.
  InstructionId all_reduce(InstructionId x);
  InstructionId all_reduce(std::vector<InstructionId> operands);

  /// The scalar computation (x, y) -> x op y on a type. It is made on first use and shared.
  ComputationId combiner(Opcode opcode, ElementType type);
  /// The scalar predicate (x, y) -> x direction y. It is made on first use and shared.
  ComputationId comparator(ComparisonDirection direction, ElementType type);

  /// Adds the entry of another builder, up to `root`, as a computation with the name of that builder, such as a loop
  /// body or a branch. `body` cannot be used afterwards.
  ComputationId computation(GraphBuilder body, InstructionId root);
  /// Copies a computation of another module together with those that it calls.
  ComputationId copy_computation(const Module& from, ComputationId id);
  /// Appends the entry of another module, whose parameters become the next ones of this graph, and returns its root.
  InstructionId append_entry(const Module& from);

  const Instruction& operator[](InstructionId id) const { return entry_[id]; }
  void set_op_name(InstructionId id, std::string op_name) { entry_[id].op_name = std::move(op_name); }
  const Shape& shape(InstructionId id) const { return entry_[id].shape; }
  ElementType type(InstructionId id) const { return entry_[id].shape.element_type; }
  /// Ids of the parameters by their number.
  const std::vector<InstructionId>& parameters() const { return entry_.parameters; }
  int size() const { return int(entry_.instructions.size()); }
  const std::vector<Computation>& called_computations() const { return called_; }
  /// The op_name of new instructions.
  const std::string& scope() const { return scope_; }
  const std::string& source() const { return source_; }

  /// Returns the module, with the entry computation last. Drops shareable instructions (is_shareable) that neither the
  /// root nor an instruction that is kept uses, and renumbers the rest. The builder cannot be used afterwards.
  Module build(InstructionId root) &&;

 private:
  InstructionId append(Instruction instruction);
  InstructionId find_equal(const Instruction& instruction, std::size_t hash) const;
  void drop_unused();
  ComputationId scalar_function(std::string name, ElementType type, Instruction root);

  std::string name_;
  std::string scope_, source_;
  Computation entry_;
  std::vector<Computation> called_;
  std::map<std::string, ComputationId> called_by_name_;
  std::unordered_multimap<std::size_t, InstructionId> by_hash_;
};

/// The least value of a type, -infinity or the smallest integer: the initial value of a maximum.
double lowest_value(ElementType type);

/// Reads the dimension numbers of a 2-D convolution in the order of input, kernel and output: "b01f_01io->b01f". Digits
/// are spatial dimensions; i and o are the kernel's input and output features.
ConvolutionDimensions convolution_dimensions(std::string_view labels);

}  // namespace podsim::hlo::build
