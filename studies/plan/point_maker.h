// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "studies/plan/diagnostic_list.h"
#include "studies/plan/expression.h"
#include "studies/plan/point_check.h"
#include "studies/plan/study.h"
#include "studies/plan/study_keys.h"
#include "studies/plan/study_variables.h"

namespace podsim::studies::plan {

/// Axes that move together, each with `length` values.
struct AxisGroup {
  std::vector<const StudyAxis*> axes;
  std::int64_t length = 0;
};

/// The groups of a study's axes, by StudyAxis::group.
std::vector<AxisGroup> axis_groups(const Study& study);

/// "slice = 4x4, batch_per_core = 32"
std::string describe_values(const std::vector<StudyValue>& axes);

/// Makes points of a study one by one, in any order. A point is given by the index of a value in every axis_groups().
class PointMaker {
 public:
  /// `study` must outlive it.
  explicit PointMaker(const Study& study);

  MachineCache& machines() { return machines_; }

  /// The point with its axes and the numbers of its derived values; std::nullopt if a constraint leaves it out.
  std::optional<StudyPoint> draft(const std::vector<std::int64_t>& index);
  /// Writes a draft's derived values in the form that their keys take, checks that its values are consistent, and
  /// writes its arguments. Adds an error for everything that is wrong; `check` adds to the same `errors`. False if a
  /// derived value is none of its key.
  bool complete(StudyPoint& point, const std::vector<std::int64_t>& index, PointCheck& check, DiagnosticList& errors);

 private:
  std::vector<StudyValue> first_axes() const;
  std::vector<std::string> workloads() const;
  double evaluate(Expression& expression, const StudyPoint& point);
  bool write_derived(StudyPoint& point, DiagnosticList& errors);
  std::vector<LocatedValue> settings(const StudyPoint& point, const std::vector<std::int64_t>& index) const;
  void write_arguments(StudyPoint& point) const;
  void write_flag(const StudyFlag& flag, const std::string& text, StudyPoint& point) const;
  void name_file(const StudyFlag& flag, const std::string& text, StudyPoint& point) const;

  const Study& study_;
  MachineCache machines_;
  StudyKeys keys_;
  std::vector<Expression> derived_, constraints_;
};

}  // namespace podsim::studies::plan
