// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "hw/machine.h"
#include "workloads/study/diagnostic_list.h"
#include "workloads/study/study_keys.h"
#include "workloads/study/study_variables.h"

namespace podsim::workloads {

/// A value of a point and where the file has it.
struct PlacedValue {
  const StudyValue* value = nullptr;
  base::SourceLocation place;
};

/// Whether the values of a point go together: the machine with its keys, the slice on it, groups and mesh on the slice,
/// keys of the model with the workload. What was found once is not looked for again.
class PointCheck {
 public:
  PointCheck(const Study& study, MachineCache& machines, DiagnosticList& errors)
      : study_(study), machines_(machines), errors_(errors) {}

  /// `values` are all that the point sets, each key once; `at` says in words which point it is: "at slice = 4x4".
  void check(const std::vector<PlacedValue>& values, const std::string& at);

 private:
  void check_machine(const std::vector<PlacedValue>& values, const std::string& at, const hw::Machine*& machine);
  void check_slice(const std::vector<PlacedValue>& values, const hw::Machine& machine, const std::string& at);
  void check_groups(const std::vector<PlacedValue>& values, const hw::Machine& machine);
  void check_model(const std::vector<PlacedValue>& values, const std::string& at);
  /// Of the machine that a point's keys make.
  std::string machine_identity(const std::vector<PlacedValue>& values) const;
  bool is_new(std::string question) { return asked_.insert(std::move(question)).second; }

  const Study& study_;
  MachineCache& machines_;
  DiagnosticList& errors_;
  std::map<std::string, std::optional<hw::Machine>> built_;  ///< by machine_identity(); nothing: it is wrong
  std::set<std::string> asked_;
};

}  // namespace podsim::workloads
