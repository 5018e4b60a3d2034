// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/ir/rules/tuple_leaves.h"
#include "sw/spmd/partition/partitioner.h"

/// Walks a program and writes the program of its partitions, one computation at a time.
namespace podsim::sw::spmd::partition {

/// The part of the work that all computations of a module share.
class ModulePartition {
 public:
  ModulePartition(const ir::Module& module, const mesh::Mesh& mesh, const propagate::ModuleShardings& shardings,
                  const partition::PartitionOptions& options);

  const ir::Module& module() const { return module_; }
  const mesh::Mesh& mesh() const { return mesh_; }
  const partition::PartitionOptions& options() const { return options_; }
  /// True if any sharding is manual. The module is then already the program of one partition, and its replicas become
  /// the partitions.
  bool has_manual_values() const { return has_manual_values_; }
  /// The shardings of an instruction's arrays; replicated where propagation gave none.
  mesh::ValueSharding sharding(ir::ComputationId computation, ir::InstructionId id) const;

  ir::Module entry();
  /// The program of a called computation, written once for each combination of parameter and root shardings.
  const ir::Module& body(ir::ComputationId id, const std::vector<mesh::ValueSharding>& parameters,
                         const mesh::ValueSharding& root);

 private:
  void refuse_replicas() const;

  struct Body {
    std::vector<mesh::ValueSharding> parameters;
    mesh::ValueSharding root;
    ir::Module module;
  };

  const ir::Module& module_;
  const mesh::Mesh& mesh_;
  const propagate::ModuleShardings& shardings_;
  const partition::PartitionOptions& options_;
  bool has_manual_values_ = false;
  std::map<ir::ComputationId, std::vector<std::unique_ptr<Body>>> bodies_;
};

/// Writes one computation. Every value is kept as the list of its arrays, so that tuples are only written where they
/// leave the computation.
class ComputationPartition {
 public:
  ComputationPartition(ModulePartition& parent, ir::ComputationId id, ir::build::GraphBuilder& builder);

  /// Writes all instructions for these parameter shardings and returns the root, resharded to `root`.
  ir::InstructionId write(const std::vector<mesh::ValueSharding>& parameters, const mesh::ValueSharding& root);

 private:
  using Values = std::vector<reshard::LocalValue>;

  [[noreturn]] void fail(const ir::Instruction& instruction, const std::string& what) const;
  /// Brings the results of `write` into the shardings in which they wait for their users.
  Values settled(ir::InstructionId id, Values results);
  bool may_stay_unreduced(ir::InstructionId id, const reshard::LocalValue& value,
                          const mesh::AxisSharding& wanted_sharding) const;
  /// The arrays of an operand. Reduces those that are still unreduced.
  const Values& operand(ir::InstructionId id);
  Values operands(const ir::Instruction& instruction);
  ir::InstructionId in_shardings(const ir::Shape& shape, const Values& values, const mesh::ValueSharding& shardings);
  /// The arrays of the local value `id`, which has the structure of `shape` and these shardings.
  Values values_of(ir::InstructionId id, const ir::Shape& shape, const mesh::ValueSharding& shardings);
  ir::Shape local_shape_of(const ir::Shape& shape, const mesh::ValueSharding& shardings) const;
  mesh::ValueSharding wanted(ir::InstructionId id) const { return parent_.sharding(id_, id); }

  void write_parameters(const std::vector<mesh::ValueSharding>& shardings);
  Values write(ir::InstructionId id);
  Values write_constant(ir::InstructionId id);
  Values write_element(const ir::Instruction& instruction);
  Values write_annotation(ir::InstructionId id);
  Values write_copy(const ir::Instruction& instruction);
  Values write_barrier(const ir::Instruction& instruction);
  Values write_tuple_select(const ir::Instruction& instruction);
  Values write_infeed(ir::InstructionId id);
  Values write_outfeed(const ir::Instruction& instruction);
  Values write_device_number(ir::InstructionId id);
  Values write_dimension_size(const ir::Instruction& instruction);
  Values write_op(ir::InstructionId id);
  /// The op on addends that are not reduced, if it is one (linear_op.h).
  std::optional<reshard::LocalValue> write_linear(ir::InstructionId id);
  /// Writes an op with manual values, at its original shapes: the other operands are replicated first.
  Values write_manual(ir::InstructionId id);
  Values write_collective(ir::InstructionId id);
  Values write_among_replicas(ir::InstructionId id);
  Values write_while(ir::InstructionId id);
  Values write_conditional(ir::InstructionId id);
  Values write_call(ir::InstructionId id);

  ModulePartition& parent_;
  const ir::Module& module_;
  const ir::ComputationId id_;
  const ir::Computation& computation_;
  const mesh::Mesh& mesh_;
  ir::build::GraphBuilder& builder_;
  reshard::LocalProgram program_;
  std::vector<std::vector<ir::InstructionId>> users_;
  std::vector<Values> values_;      ///< by instruction
  std::vector<bool> is_unreduced_;  ///< by instruction: an array of it is a sum that is not reduced yet
  ir::rules::TupleLeaves leaves_;
};

}  // namespace podsim::sw::spmd::partition
