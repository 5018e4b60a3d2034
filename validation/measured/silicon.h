// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/config.h"
#include "validation/measured/core_model.h"
#include "validation/profile/rebuilt_op.h"

namespace podsim::validation::measured {

/// The machines that were measured, each made when it is needed.
class Silicon {
 public:
  /// Ops of profiles by their files.
  using RebuiltProfiles = std::map<std::string, profile::RebuiltOps>;

  /// `configure` returns the configuration of a machine by its name. `kept` and `cache`, if not null, outlive this and
  /// are shared with others that model the same files on machines of other values.
  explicit Silicon(std::function<base::Config(const std::string&)> configure, RebuiltProfiles* kept = nullptr,
                   sw::compiler::OpCache* cache = nullptr)
      : configure_(std::move(configure)), kept_(kept), cache_(cache) {}

  CoreModel& core(const std::string& machine);
  /// Null if none are kept.
  profile::RebuiltOps* rebuilt_ops(const std::string& file) { return kept_ ? &(*kept_)[file] : nullptr; }
  /// Counts a point. Throws base::host::Interrupted when the program is interrupted.
  void end_if_interrupted();

 private:
  std::function<base::Config(const std::string&)> configure_;
  RebuiltProfiles* kept_;
  sw::compiler::OpCache* cache_;
  std::map<std::string, CoreModel> cores_;
  std::size_t points_ = 0;
};

}  // namespace podsim::validation::measured
