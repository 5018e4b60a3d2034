// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "noc/topology.h"
#include "sw/compiler/op_costs.h"
#include "sw/target_machine.h"
#include "validation/profile/op_text.h"
#include "validation/profile/profile.h"
#include "validation/profile/rebuilt_op.h"

namespace podsim::validation::profile {

/// A measured op and its modelled time, each for one occurrence.
struct ComparedOp {
  std::string name;  ///< "fusion.13"; the category if the row has no text
  std::string category;
  std::string hlo_text;
  std::int64_t occurrences = 0;
  double measured_s = 0;
  std::optional<double> modelled_s;  ///< std::nullopt if the op is not modelled
  std::string not_modelled = {};     ///< why not
  std::string products = {};         ///< how they are computed, "f32 in 6 passes" (compiler/tiles/product_arithmetic.h)
  int line = 0;                      ///< line of the profile in which the row begins; 0 in a trace
  bool by_counts = false;            ///< modelled by XLA's counts, which contradict what its text seems to say
  bool is_collective = false;

  /// Time that a collective takes beyond its modelled transfer, for one occurrence: it waits for other cores.
  double waiting_s() const;
};

/// Models the ops of a profile. An op of a core is rebuilt as a graph (rebuilt_op.h) and then treated as an op of a
/// program (compiler/op_costs.h). A collective is simulated on an idle slice, so that its measured time may hold
/// waiting; control flow has no time of its own, since the ops of its bodies are rows themselves; a transfer from or to
/// the host takes the time of the core's copy.
class ProfileModel {
 public:
  /// Without a slice, collectives are not modelled. `kept`, if not null, belongs to the one table that this models; ops
  /// in it are not rebuilt again. `costs` and `kept` outlive this.
  ProfileModel(sw::compiler::OpCosts& costs, std::optional<noc::Topology> slice, RebuiltOps* kept = nullptr);
  /// With costs of its own.
  ProfileModel(const sw::TargetMachine& machine, std::optional<noc::Topology> slice,
               sw::compiler::OpCache* cache = nullptr);

  /// Calls `done`, if it is set, with each op in turn. Throws base::host::Interrupted when the program is interrupted.
  std::vector<ComparedOp> compare(const Profile& profile, const std::function<void(const ComparedOp&)>& done = {});

 private:
  ComparedOp compare(const ProfileOp& op);
  void complete_operands(OpText& text) const;
  std::optional<double> seconds(const OpText& text, const ProfileOp& op, ComparedOp& result);
  double rebuilt_seconds(const RebuiltOp& rebuilt, const OpText& text, ComparedOp& result);
  std::optional<double> collective_seconds(const OpText& text);
  double host_seconds(const hlo::Shape& shape) const;

  sw::TargetMachine machine_;
  std::optional<sw::compiler::OpCosts> own_costs_;
  sw::compiler::OpCosts& costs_;
  std::optional<noc::Topology> slice_;
  RebuiltOps* kept_;
  std::map<std::string, hlo::Shape, std::less<>>
      results_;  ///< result shapes of the profile's ops, for texts without operand shapes
  std::map<std::string, double> collective_seconds_;
};

/// One more than the highest device number below `most` in the profile's collectives; 0 if they have none.
std::int64_t devices_named(const Profile& profile, std::int64_t most);

/// Sums over the modelled ops, weighted by occurrences.
struct ProfileTotals {
  double measured_s = 0, modelled_s = 0, absolute_error_s = 0;
  std::int64_t ops = 0;  ///< number of rows
  /// sum(n |modelled - measured|) / sum(n measured), and the same without absolute values.
  double mean_absolute_error() const { return measured_s > 0 ? absolute_error_s / measured_s : 0; }
  double bias() const { return measured_s > 0 ? (modelled_s - measured_s) / measured_s : 0; }
  void add(const ComparedOp& op);
};

}  // namespace podsim::validation::profile
