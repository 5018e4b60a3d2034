// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "hw/bundle/bundle_run.h"

namespace podsim::sw {

/// The bundles of a run in the order in which they issued: cycle, how long each waited and for what, address, source
/// line, text. A line per bundle issued, so a loop's stand as often as it ran; a label stands above its bundle.
///
///     cycle  wait  for        address  line  bundle
///         0                         0     6  { s.mov s1, 4 }
///       214   206  sync_flag        9    15  { sync.wait 1, 1 }
class KernelListing {
 public:
  /// `program` outlives the listing.
  explicit KernelListing(const hw::isa::Program& program);
  void add(const hw::IssueRecord& record);
  /// What was added so far.
  const std::string& text() const { return text_; }

 private:
  struct Disassembled {
    hw::isa::Bundle bundle;
    std::string text;
  };
  const std::string& disassembled(const hw::IssueRecord& record);
  std::string line_of(std::uint32_t address) const;

  const hw::isa::Program& program_;
  std::multimap<std::uint32_t, std::string> labels_;  ///< by address
  std::map<std::uint32_t, Disassembled> bundles_;     ///< an overlay may replace one
  std::string text_;
};

}  // namespace podsim::sw
