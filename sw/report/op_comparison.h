// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "sw/report/op_scope.h"
#include "sw/report/run_folder.h"

/// The ops of two runs side by side, whatever was fused: rows by op_name and category, in whole picoseconds of a step,
/// so that what is not the ops' is what a step's time has beyond their sum.
namespace podsim::sw {

/// An op of a run, per step of one core.
struct TimedOp {
  std::string name;  ///< its op_name, or that of its instruction ("%fusion.7") where it has none
  std::string category;
  std::string bound;
  OpScope scope;
  std::int64_t executions = 0;
  base::Time time;
  double flops = 0;  ///< of all executions
  double bytes = 0;  ///< through HBM, of all executions
};

/// `depth` as in op_scope.
std::vector<TimedOp> timed_ops(const RunFolder& run, std::size_t depth = 1);

/// Ops of one run that stand in one row.
struct OpGroup {
  std::vector<std::string> categories;  ///< in alphabetical order, each once
  std::string bound;                    ///< of the one that takes longest
  std::int64_t ops = 0;
  std::int64_t executions = 0;
  base::Time time;
  double flops = 0;
  double bytes = 0;
};

/// A row: on either side the ops of one name and category. What computes under a name in other categories on one side
/// than on the other, because something is fused there, is one row; collectives have rows of their own.
struct OpDifference {
  enum class Match { same, other_category, only_a, only_b };
  std::string name;
  OpScope scope;
  Match match = Match::same;
  std::optional<OpGroup> a, b;  ///< one of them at least
  base::Time time_a() const { return a ? a->time : base::Time(0); }
  base::Time time_b() const { return b ? b->time : base::Time(0); }
  base::Time difference() const { return time_b() - time_a(); }
};
std::string to_string(OpDifference::Match match);

/// Every op of either run is in exactly one row. Largest difference first, either way; equal ones by name.
std::vector<OpDifference> compare_ops(const std::vector<TimedOp>& a, const std::vector<TimedOp>& b);

/// Time of the ops that have a property in common.
struct TimeDifference {
  std::string name;
  std::int64_t ops_a = 0, ops_b = 0;
  base::Time a{}, b{};
  base::Time difference() const { return b - a; }
};

/// By `key`, largest difference first, either way; equal ones the longest first, then by name.
std::vector<TimeDifference> compare_by(const std::vector<TimedOp>& a, const std::vector<TimedOp>& b,
                                       const std::function<std::string(const TimedOp&)>& key);

}  // namespace podsim::sw
