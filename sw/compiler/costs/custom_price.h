// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "base/units.h"
#include "hlo/graph.h"
#include "hw/tile_op.h"
#include "sw/codegen/families/kernel.h"
#include "sw/compiler/costs/size_expression.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler::costs {

/// What an array of a call has to look like: a name or a number for each dimension, "b 12 s d". A name that occurs
/// again stands for the same size; "_" is any size, and "*" alone any array.
struct ShapePattern {
  std::vector<std::string> dimensions;
};

/// What a user says that a custom call costs: one [[call]] of a file for --costs.
struct CustomPrice {
  std::string target;                                 ///< pattern of the call's target
  std::string op_name;                                ///< pattern of its op_name; empty: any
  std::optional<std::vector<ShapePattern>> operands;  ///< std::nullopt: any number of any arrays
  std::optional<std::vector<ShapePattern>> results;   ///< those of a tuple, one by one

  std::optional<SizeExpression> flops;         ///< of products, on the matrix units at their full rate
  std::optional<SizeExpression> vector_flops;  ///< one ALU operation of a lane each
  std::optional<SizeExpression> custom_work;   ///< of the unit that the program has registered, as it counts
  std::optional<SizeExpression> bytes;   ///< read and written in HBM; std::nullopt: operands and results, once each
  std::optional<SizeExpression> cycles;  ///< of the core clock, all included
  const codegen::families::KernelFamily* kernel = nullptr;                     ///< a kernel of podsim's own
  std::map<std::string, std::variant<std::string, SizeExpression>> arguments;  ///< of it, by parameter

  base::SourceLocation place;

  /// True if the price is for calls of this target and op_name.
  bool is_for(const hlo::Instruction& call) const;
  /// The named sizes of a call, with operand_bytes and result_bytes; std::nullopt if its arrays are others.
  std::optional<Sizes> match(const hlo::Computation& computation, const hlo::Instruction& call) const;
};

/// A custom call as an op of the core.
struct PricedOp {
  hw::TileOp tiles;
  double flops = 0;         ///< all
  double matmul_flops = 0;  ///< of products
  base::Bytes bytes;        ///< of HBM
};

/// The op of a call with these sizes. Its traffic is divided into equal tiles, as many as take the least time, and its
/// work over them; `estimate` says what an op takes (OpCosts::estimate). `reads` and `writes` are the bytes of its
/// operands and results. Throws InputError at the price if an expression has no value that fits, or the kernel takes no
/// such sizes.
PricedOp priced_op(const CustomPrice& price, const Sizes& sizes, base::Bytes reads, base::Bytes writes,
                   const TargetMachine& machine, const std::string& name,
                   const std::function<base::Cycles(const hw::TileOp& op)>& estimate);

}  // namespace podsim::sw::compiler::costs
