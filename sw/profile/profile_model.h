// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/machine.h"
#include "hw/tile_pipeline.h"
#include "noc/topology.h"
#include "sw/compiler/op_work.h"
#include "sw/profile/op_text.h"
#include "sw/profile/profile.h"

namespace podsim::sw {

/// A measured op beside what the model makes of it, each for one occurrence.
struct ComparedOp {
  std::string name;  ///< "fusion.13"; the category where the row has no text
  std::string category;
  std::string hlo_text;
  std::int64_t occurrences = 0;
  double measured_s = 0;
  std::optional<double> modelled_s;  ///< nothing: the text does not say what the op does
};

/// Models the ops of a profile. An op of a core is rebuilt as a graph (rebuilt_op.h), and from there on it is what any
/// op of a program is: its work (op_work.h), the best cut into tiles (tile_search.h), the pipeline of tiles
/// (tile_pipeline.h). A collective is simulated on an idle slice, a transfer from or to the host is the core's copy.
class ProfileModel {
 public:
  /// Without a slice collectives are left unmodelled.
  ProfileModel(const hw::Machine& machine, std::optional<noc::Topology> slice);

  std::vector<ComparedOp> compare(const Profile& profile);

 private:
  ComparedOp compare(const ProfileOp& op);
  void complete_operands(OpText& text) const;
  std::optional<double> seconds(const OpText& text, const ProfileOp& op);
  std::optional<double> collective_seconds(const OpText& text);
  double host_seconds(const Shape& shape) const;
  double core_seconds(const OpWork& work, const std::string& name);

  hw::Machine machine_;
  std::optional<noc::Topology> slice_;
  hw::TilePipeline pipeline_;
  std::map<std::string, Shape, std::less<>> results_;  ///< of the profile's ops, for texts without operand shapes
  std::map<OpWork, double> core_seconds_;
  std::map<std::string, double> collective_seconds_;
};

/// One more than the highest device that a collective of the profile names; 0 when none names one.
std::int64_t devices_named(const Profile& profile);

/// Sums over ops that are modelled, each times its occurrences.
struct ProfileTotals {
  double measured_s = 0, modelled_s = 0, absolute_error_s = 0;
  std::int64_t ops = 0;  ///< rows
  /// sum(n |modelled - measured|) / sum(n measured), and the same without the bars.
  double mean_absolute_error() const { return measured_s > 0 ? absolute_error_s / measured_s : 0; }
  double bias() const { return measured_s > 0 ? (modelled_s - measured_s) / measured_s : 0; }
  void add(const ComparedOp& op);
};

}  // namespace podsim::sw
