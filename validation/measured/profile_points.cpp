// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/profile_points.h"

#include <map>

#include "noc/topology.h"
#include "validation/profile/profile.h"
#include "validation/profile/profile_model.h"

namespace podsim::validation::measured {

std::vector<PointClass> profile_points(const std::string& file, std::string_view text, Silicon& silicon) {
  CoreModel& core = silicon.core("tpu-v3");
  const profile::Profile profile = profile::read_profile(file, text);
  std::map<int, const profile::ProfileOp*> by_line;
  for (const profile::ProfileOp& op : profile.ops) by_line[op.line] = &op;
  PointClass ops{
      .name = "ops of " + file.substr(file.find_last_of('/') + 1), .machine = "tpu-v3", .file = file, .points = {}};
  profile::ProfileModel model(core.costs(), noc::Topology({8, 4}, {false, false}), silicon.rebuilt_ops(file));
  model.compare(profile, [&](const profile::ComparedOp& op) {
    const profile::ProfileOp& row = *by_line.at(op.line);
    ops.points.push_back({.name = op.name,
                          .measured = op.measured_s,
                          .modelled = op.modelled_s,
                          .roofline = core.roofline_s(row.flops, row.bytes),
                          .reason = op.not_modelled,
                          .weight = double(op.occurrences) * op.measured_s});
  });
  return {ops};
}

}  // namespace podsim::validation::measured
