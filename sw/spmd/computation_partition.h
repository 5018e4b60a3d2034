// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sw/spmd/partitioner.h"

/// The walk through a program while its partitions' program is written.
namespace podsim::sw {

/// What the partitions of all computations of a module share.
class ModulePartition {
 public:
  ModulePartition(const Module& module, const Mesh& mesh, const ModuleShardings& shardings,
                  const PartitionOptions& options);

  const Module& module() const { return module_; }
  const Mesh& mesh() const { return mesh_; }
  const PartitionOptions& options() const { return options_; }
  /// Whether partitions have values of their own: the module is the program of one of them already, and what counted
  /// its replicas counts partitions.
  bool has_manual_values() const { return has_manual_values_; }
  /// Of an instruction's arrays; replicated where nothing is known.
  ValueSharding sharding(ComputationId computation, InstructionId id) const;

  Module entry();
  /// A called computation, written once for the same shardings of its parameters and its root.
  const Module& body(ComputationId id, const std::vector<ValueSharding>& parameters, const ValueSharding& root);

 private:
  struct Body {
    std::vector<ValueSharding> parameters;
    ValueSharding root;
    Module module;
  };

  const Module& module_;
  const Mesh& mesh_;
  const ModuleShardings& shardings_;
  const PartitionOptions& options_;
  bool has_manual_values_ = false;
  std::map<ComputationId, std::vector<std::unique_ptr<Body>>> bodies_;
};

/// One computation. Every value is a list of the arrays it consists of, so that tuples are only written where they
/// leave the computation.
class ComputationPartition {
 public:
  ComputationPartition(ModulePartition& parent, ComputationId id, GraphBuilder& builder);

  /// Writes everything; the root in these shardings comes back.
  InstructionId write(const std::vector<ValueSharding>& parameters, const ValueSharding& root);

 private:
  using Values = std::vector<LocalValue>;

  [[noreturn]] void fail(const Instruction& instruction, const std::string& what) const;
  /// Brings what `write` gives into the shape in which it waits for its users.
  Values settled(InstructionId id, Values results);
  bool may_stay_unreduced(InstructionId id, const LocalValue& value, const AxisSharding& wanted_sharding) const;
  /// An operand's arrays, reduced.
  const Values& operand(InstructionId id);
  Values operands(const Instruction& instruction);
  InstructionId in_shardings(const Shape& shape, const Values& values, const ValueSharding& shardings);
  /// The arrays of a local value of this structure and these shardings.
  Values values_of(InstructionId id, const Shape& shape, const ValueSharding& shardings);
  Shape local_shape_of(const Shape& shape, const ValueSharding& shardings) const;
  ValueSharding wanted(InstructionId id) const { return parent_.sharding(id_, id); }

  void write_parameters(const std::vector<ValueSharding>& shardings);
  Values write(InstructionId id);
  Values write_constant(InstructionId id);
  Values write_element(const Instruction& instruction);
  Values write_annotation(InstructionId id);
  Values write_copy(const Instruction& instruction);
  Values write_barrier(const Instruction& instruction);
  Values write_tuple_select(const Instruction& instruction);
  Values write_infeed(InstructionId id);
  Values write_outfeed(const Instruction& instruction);
  Values write_device_number(InstructionId id);
  Values write_dimension_size(const Instruction& instruction);
  Values write_op(InstructionId id);
  /// On values of the partitions' own, which are whole for it.
  Values write_manual(InstructionId id);
  Values write_collective(InstructionId id);
  Values write_among_replicas(InstructionId id);
  Values write_while(InstructionId id);
  Values write_conditional(InstructionId id);
  Values write_call(InstructionId id);

  ModulePartition& parent_;
  const Module& module_;
  const ComputationId id_;
  const Computation& computation_;
  const Mesh& mesh_;
  GraphBuilder& builder_;
  LocalProgram program_;
  std::vector<std::vector<InstructionId>> users_;
  std::vector<Values> values_;  ///< of each instruction
};

}  // namespace podsim::sw
