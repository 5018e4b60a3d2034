// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sw/report/html/run_files.h"

/// The parts of a run's page as HTML, one file each. A part that the run has nothing for is empty.
namespace podsim::sw {

/// Categories of ops by the time they take, which is the order of the palette.
class CategoryColors {
 public:
  explicit CategoryColors(const std::vector<RunOp>& ops);
  const std::vector<std::string>& categories() const { return categories_; }
  /// Into the palette; -1 for what is not there.
  int color(std::string_view category) const;

 private:
  std::vector<std::string> categories_;  ///< most time first
};

std::string headline_html(const RunFiles& files);
std::string breakdown_html(const RunFiles& files, const CategoryColors& colors);
std::string roofline_html(const RunFiles& files, const CategoryColors& colors);
std::string link_html(const RunFiles& files);
std::string memory_html(const RunFiles& files);
std::string mesh_html(const RunFiles& files);
std::string machine_html(const RunFiles& files);
std::string assumptions_html(const RunFiles& files);
std::string notes_html(const RunFiles& files);
std::string again_html(const RunFiles& files);

/// Ops and timeline as data for run.js, and what the page says above them.
struct RunData {
  std::string json;
  std::string op_note;        ///< HTML: what was left out for size; empty where all is there
  std::string timeline_note;  ///< HTML: what was merged; likewise
};
RunData run_data(const RunFiles& files, const CategoryColors& colors);

}  // namespace podsim::sw
