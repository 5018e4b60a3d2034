// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "studies/plan/study_keys.h"
#include "studies/plan/study_text.h"
#include "studies/plan/study_variables.h"

namespace podsim::studies::plan {

/// Reads a study file into a Study step by step: base, axes, expressions, metrics. Reading continues after an error, to
/// find the others.
class StudyReader {
 public:
  /// `study` already has its name, path and text.
  explicit StudyReader(Study& study) : study_(study), text_(study.path.string(), study.text) {}
  /// Throws base::InputError with all errors.
  void read();

 private:
  /// A number of [search]: its default, least and greatest value.
  struct SearchWhole {
    std::int64_t otherwise = 0, least = 0, most = 0;
  };
  /// An axis of the file before its values are read.
  struct RawAxis {
    StudyEntry entry;
    int group = 0;
    std::vector<const toml::node*> rows;  ///< in mode list, one per point; nullptr if the point does not name the key
  };

  // study_reader.cpp
  void read_head();
  void find_entries();
  void find_axes_of_points();
  void find_keys();
  std::vector<std::string> written_values(std::string_view key) const;
  bool is_key(const StudyEntry& entry);
  void read_base();
  void read_axes();
  StudyAxis axis_of_rows(const RawAxis& raw);
  void check_groups();
  void check_file(const StudyValue& value, const base::SourceLocation& place);
  void require_keys();

  // study_expressions.cpp
  void read_expressions();
  std::vector<StudyExpression> expressions_of(std::string_view table);
  void check_expression(const StudyExpression& expression, const std::vector<std::string>& more);
  std::string problem_of(const std::string& name) const;
  void check_derived_name(const StudyExpression& derived, const base::SourceLocation& place);
  void read_metrics();
  void read_metric_derived();
  std::string metric_name(const toml::node& node);
  void read_baseline();
  void read_baseline_of_base();
  void read_report();

  // study_search_reader.cpp
  void read_search();
  void read_search_numbers(const toml::table& table);
  std::int64_t search_number(const toml::table& table, const char* name, SearchWhole limits);
  void read_fidelity(const toml::table& table);
  void set_whole_baseline(const StudyAxis& fidelity);
  void check_searched_space();
  void check_eligible_name();

  Study& study_;
  StudyText text_;
  std::vector<StudyEntry> base_entries_;
  std::vector<RawAxis> raw_axes_;
  std::vector<std::string> workloads_;  ///< built-in workloads that some point runs
  std::optional<StudyKeys> keys_;
  std::vector<std::string> variables_;  ///< names that expressions may use, for suggestions
};

}  // namespace podsim::studies::plan
