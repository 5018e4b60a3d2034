// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "studies/plan/diagnostic_list.h"
#include "studies/plan/study_keys.h"
#include "studies/plan/study_variables.h"
#include "sw/target_machine.h"

namespace podsim::studies::plan {

/// A value of a point and its location in the file.
struct LocatedValue {
  const plan::StudyValue* value = nullptr;
  base::SourceLocation place;
};

/// Checks that the values of a point are consistent: the machine with its keys, the slice on it, groups and mesh on the
/// slice, keys of the model with the workload. A combination that was checked for one point is not checked again.
class PointCheck {
 public:
  PointCheck(const plan::Study& study, plan::MachineCache& machines, plan::DiagnosticList& errors)
      : study_(study), machines_(machines), errors_(errors) {}

  /// Adds an error for each inconsistency. `values` are all that the point sets, each key once; `at` describes the
  /// point in messages: "at slice = 4x4".
  void check(const std::vector<LocatedValue>& values, const std::string& at);

 private:
  void check_machine(const std::vector<LocatedValue>& values, const std::string& at, const sw::TargetMachine*& machine);
  void check_slice(const std::vector<LocatedValue>& values, const sw::TargetMachine& machine, const std::string& at);
  void check_groups(const std::vector<LocatedValue>& values, const sw::TargetMachine& machine);
  void check_model(const std::vector<LocatedValue>& values, const std::string& at);
  /// A text that is equal for points with the same machine and machine keys.
  std::string machine_identity(const std::vector<LocatedValue>& values) const;
  bool is_new(std::string question) { return asked_.insert(std::move(question)).second; }

  const plan::Study& study_;
  plan::MachineCache& machines_;
  plan::DiagnosticList& errors_;
  std::map<std::string, std::optional<sw::TargetMachine>> built_;  ///< by machine_identity(); std::nullopt: invalid
  std::set<std::string> asked_;
};

}  // namespace podsim::studies::plan
