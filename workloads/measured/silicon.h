// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/config.h"
#include "workloads/measured/core_model.h"

namespace podsim::workloads::measured {

/// The machines that were measured, each made when it is needed.
class Silicon {
 public:
  /// `configure` returns the configuration of a machine by its name.
  explicit Silicon(std::function<base::Config(const std::string&)> configure) : configure_(std::move(configure)) {}

  CoreModel& core(const std::string& machine);
  /// Counts a point. Throws base::host::Interrupted when the program is interrupted.
  void end_if_interrupted();

 private:
  std::function<base::Config(const std::string&)> configure_;
  std::map<std::string, CoreModel> cores_;
  std::size_t points_ = 0;
};

}  // namespace podsim::workloads::measured
