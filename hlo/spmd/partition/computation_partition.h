// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hlo/rules/tuple_leaves.h"
#include "hlo/spmd/mesh/manual_border.h"
#include "hlo/spmd/partition/partitioner.h"

/// Walks a program and writes the program of its partitions, one computation at a time.
namespace podsim::hlo::spmd::partition {

/// The part of the work that all computations of a module share.
class ModulePartition {
 public:
  ModulePartition(const hlo::Module& module, const mesh::Mesh& mesh, const propagate::ModuleShardings& shardings,
                  const partition::PartitionOptions& options);

  const hlo::Module& module() const { return module_; }
  const mesh::Mesh& mesh() const { return mesh_; }
  const partition::PartitionOptions& options() const { return options_; }
  /// True if any sharding is manual. The module is then already the program of one partition, and its replicas become
  /// the partitions.
  bool has_manual_values() const { return has_manual_values_; }
  /// True if a part of the program works on shards along some axes of the mesh (manual_border.h).
  bool is_partly_manual() const { return is_partly_manual_; }
  /// The shardings of an instruction's arrays; replicated where propagation gave none.
  mesh::ValueSharding sharding(hlo::ComputationId computation, hlo::InstructionId id) const;

  hlo::Module entry();
  /// The program of a called computation, written once for each combination of parameter and root shardings.
  const hlo::Module& body(hlo::ComputationId id, const std::vector<mesh::ValueSharding>& parameters,
                          const mesh::ValueSharding& root);

 private:
  void refuse_replicas() const;

  struct Body {
    std::vector<mesh::ValueSharding> parameters;
    mesh::ValueSharding root;
    hlo::Module module;
  };

  const hlo::Module& module_;
  const mesh::Mesh& mesh_;
  const propagate::ModuleShardings& shardings_;
  const partition::PartitionOptions& options_;
  bool has_manual_values_ = false, is_partly_manual_ = false;
  std::map<hlo::ComputationId, std::vector<std::unique_ptr<Body>>> bodies_;
};

/// Writes one computation. Every value is kept as the list of its arrays, so that tuples are only written where they
/// leave the computation.
class ComputationPartition {
 public:
  ComputationPartition(ModulePartition& parent, hlo::ComputationId id, build::GraphBuilder& builder);

  /// Writes all instructions for these parameter shardings and returns the root, resharded to `root`.
  hlo::InstructionId write(const std::vector<mesh::ValueSharding>& parameters, const mesh::ValueSharding& root);

 private:
  using Values = std::vector<reshard::LocalValue>;

  [[noreturn]] void fail(const hlo::Instruction& instruction, const std::string& what) const;
  /// Reshards the results of `write` to the shardings in which they are stored until their users run.
  Values settled(hlo::InstructionId id, Values results);
  bool may_stay_unreduced(hlo::InstructionId id, const reshard::LocalValue& value,
                          const mesh::AxisSharding& wanted_sharding) const;
  /// The arrays of an operand. Reduces those that are still unreduced.
  const Values& operand(hlo::InstructionId id);
  Values operands(const hlo::Instruction& instruction);
  hlo::InstructionId in_shardings(const hlo::Shape& shape, const Values& values, const mesh::ValueSharding& shardings);
  /// The arrays of the local value `id`, which has the structure of `shape` and these shardings.
  Values values_of(hlo::InstructionId id, const hlo::Shape& shape, const mesh::ValueSharding& shardings);
  hlo::Shape local_shape_of(const hlo::Shape& shape, const mesh::ValueSharding& shardings) const;
  mesh::ValueSharding wanted(hlo::InstructionId id) const { return parent_.sharding(id_, id); }

  void write_parameters(const std::vector<mesh::ValueSharding>& shardings);
  Values write(hlo::InstructionId id);
  Values write_constant(hlo::InstructionId id);
  Values write_element(const hlo::Instruction& instruction);
  Values write_annotation(hlo::InstructionId id);
  Values write_copy(const hlo::Instruction& instruction);
  Values write_barrier(const hlo::Instruction& instruction);
  Values write_tuple_select(const hlo::Instruction& instruction);
  Values write_infeed(hlo::InstructionId id);
  Values write_outfeed(const hlo::Instruction& instruction);
  Values write_device_number(hlo::InstructionId id);
  Values write_dimension_size(const hlo::Instruction& instruction);
  Values write_op(hlo::InstructionId id);
  /// The op on addends that are not reduced, if it is one (linear_op.h).
  std::optional<reshard::LocalValue> write_linear(hlo::InstructionId id);
  /// Writes an op with manual values, at its original shapes: the other operands are replicated first.
  Values write_manual(hlo::InstructionId id);
  Values write_collective(hlo::InstructionId id);
  /// A collective on shards that are divided further: among the same parts of them.
  Values write_among_shards(hlo::InstructionId id);
  /// A shard as the value of the partition that works on it, or back (manual_border.h).
  reshard::LocalValue write_border(hlo::InstructionId id, const mesh::ManualBorder& border);
  Values write_among_replicas(hlo::InstructionId id);
  Values write_while(hlo::InstructionId id);
  Values write_conditional(hlo::InstructionId id);
  Values write_call(hlo::InstructionId id);

  ModulePartition& parent_;
  const hlo::Module& module_;
  const hlo::ComputationId id_;
  const hlo::Computation& computation_;
  const mesh::Mesh& mesh_;
  build::GraphBuilder& builder_;
  reshard::LocalProgram program_;
  std::vector<std::vector<hlo::InstructionId>> users_;
  std::vector<Values> values_;      ///< by instruction
  std::vector<bool> is_unreduced_;  ///< by instruction: an array of it is a sum that is not reduced yet
  rules::TupleLeaves leaves_;
};

}  // namespace podsim::hlo::spmd::partition
