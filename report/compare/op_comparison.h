// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "report/run/op_scope.h"
#include "report/run/run_folder.h"

/// Compares the ops of two runs, even if they were fused differently. Rows are by op_name and category, in whole
/// picoseconds per step, so that the time outside of the ops is the step time minus their sum.
namespace podsim::report::compare {

/// An op of a run; its figures are per step of one core.
struct TimedOp {
  std::string name;  ///< its op_name, or the name of its instruction ("%fusion.7") if it has none
  std::string category;
  std::string bound;
  run::OpScope scope;
  std::int64_t executions = 0;
  base::Time time;
  double flops = 0;  ///< in all executions
  double bytes = 0;  ///< through HBM, in all executions
};

/// The ops of a run. `depth` is that of op_scope.
std::vector<TimedOp> timed_ops(const run::RunFolder& run, std::size_t depth = 1);

/// The ops of one run in one row.
struct OpGroup {
  std::vector<std::string> categories;  ///< in alphabetical order, each once
  std::string bound;                    ///< of the op that takes longest
  std::int64_t ops = 0;
  std::int64_t executions = 0;
  base::Time time;
  double flops = 0;
  double bytes = 0;
};
/// "convolution fusion + loop fusion".
std::string category_names(const OpGroup& group);

/// A row: the ops of both runs with one name and category. If the categories of a name's compute ops differ between the
/// runs, because one of them fuses more, all of these ops are in one row. Collectives are in separate rows.
struct OpDifference {
  enum class Match { same, other_category, only_a, only_b };
  std::string name;
  run::OpScope scope;
  Match match = Match::same;
  std::optional<OpGroup> a, b;  ///< at least one of them has a value
  base::Time time_a() const { return a ? a->time : base::Time(0); }
  base::Time time_b() const { return b ? b->time : base::Time(0); }
  base::Time difference() const { return time_b() - time_a(); }
};
std::string to_string(OpDifference::Match match);

/// Every op of either run is in exactly one row. Rows are in descending order of the absolute difference; ties are in
/// order of name.
std::vector<OpDifference> compare_ops(const std::vector<TimedOp>& a, const std::vector<TimedOp>& b);

/// Time of the ops that share a property.
struct TimeDifference {
  std::string name;
  std::int64_t ops_a = 0, ops_b = 0;
  base::Time a{}, b{};
  base::Time difference() const { return b - a; }
};

/// Groups ops by `key`, in descending order of the absolute difference; ties go to the longest, then to the name that
/// is first alphabetically.
std::vector<TimeDifference> compare_by(const std::vector<TimedOp>& a, const std::vector<TimedOp>& b,
                                       const std::function<std::string(const TimedOp&)>& key);

}  // namespace podsim::report::compare
