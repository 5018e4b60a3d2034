// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/run_files.h"

/// The sections of a run's page as HTML, one file each. A section without data is empty.
namespace podsim::report::html {

/// Assigns colours to categories of ops: the palette is used in descending order of their time.
class CategoryColors {
 public:
  explicit CategoryColors(const std::vector<RunOp>& ops);
  const std::vector<std::string>& categories() const { return categories_; }
  /// Index into the palette; -1 for an unknown category.
  int color(std::string_view category) const;

 private:
  std::vector<std::string> categories_;  ///< most time first
};

std::string headline_html(const RunFiles& files);
std::string breakdown_html(const RunFiles& files, const CategoryColors& colors);
std::string activity_html(const RunFiles& files);
std::string job_html(const RunFiles& files);
std::string roofline_html(const RunFiles& files, const CategoryColors& colors);
std::string link_html(const RunFiles& files);
std::string energy_html(const RunFiles& files, const CategoryColors& colors);
/// FLOPs per joule of every op over its operational intensity, a part of the section of energy.
std::string energy_roofline_html(const RunFiles& files, const CategoryColors& colors);
std::string memory_html(const RunFiles& files);
std::string mesh_html(const RunFiles& files);
std::string machine_html(const RunFiles& files);
std::string assumptions_html(const RunFiles& files);
std::string notes_html(const RunFiles& files);
std::string again_html(const RunFiles& files);

/// Ops and timeline as data for run.js, and the notes above them.
struct RunData {
  std::string json;
  std::string op_note;        ///< HTML: what was left out for size; empty if nothing was
  std::string timeline_note;  ///< HTML: which spans were merged; empty if none were
};
RunData run_data(const RunFiles& files, const CategoryColors& colors);

}  // namespace podsim::report::html
