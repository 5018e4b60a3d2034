// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hlo/stablehlo/sharding_text.h"
#include "hlo/text/module.h"

namespace podsim::hlo::text::graph {

/// Names of axes of a mesh.
using AxisNames = std::vector<std::string_view>;

/// Names and sizes of the axes of a mesh, the slowest first.
using MeshAxes = std::vector<std::pair<std::string, std::int64_t>>;
/// The axes of the meshes that a module declares in shardings that name them and in xla.sdy.meshes, without those that
/// list their devices in an order of their own.
std::vector<MeshAxes> declared_meshes(const Module& module);

/// Shardings that HLO text carries as attributes of Shardy: the meshes in the module's frontend attribute
/// xla.sdy.meshes, and those of instructions. Views are valid as long as this object. All throw stablehlo::Fault.
class ShardyAttributes {
 public:
  explicit ShardyAttributes(const Module& module);

  const stablehlo::ShardingTexts& meshes() const { return meshes_; }

  /// The sharding of an instruction in the form of HLO, by its frontend attribute xla.sdy.sharding:
  /// "{devices=[2,1]<=[2]}", for several values "{{...}, {...}}". Empty if there is none or it constrains nothing. The
  /// computation is manual along the axes `manual`.
  std::string_view sharding(std::string_view frontend_attributes, const AxisNames& manual);
  /// The parts of an attribute that is a list of shardings, such as xla.sdy.in_shardings.
  std::vector<std::string_view> shardings(std::string_view frontend_attributes, std::string_view name);
  /// The axes of xla.sdy.manual_axes.
  AxisNames manual_axes(std::string_view frontend_attributes);

  /// The sharding of the whole array in the form of HLO; "{replicated}" if it constrains nothing.
  std::string whole(std::string_view sharding, const AxisNames& manual) const;
  /// The same of the shard inside a computation that is manual along `manual`.
  std::string shard(std::string_view sharding, std::size_t rank, const AxisNames& manual) const;
  /// The dimensions that may be divided further.
  static std::vector<std::int64_t> open_dimensions(std::string_view sharding) {
    return stablehlo::ShardingTexts::open_dimensions(sharding);
  }

 private:
  std::string_view value_of(std::string_view frontend_attributes, std::string_view name);

  std::deque<std::string> texts_;  ///< without escapes
  stablehlo::ShardingTexts meshes_;
  std::map<std::string_view, std::string> known_;  ///< by the attributes, in computations that are not manual
};

}  // namespace podsim::hlo::text::graph
