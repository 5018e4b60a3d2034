// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

/// Which point of a study is run next, and by whom.
namespace podsim::workloads {

/// Points in groups of which each compiles to one program: a worker stays with its group, so that it compiles once. A
/// worker whose group is empty gets a group that nobody has begun, then a point of the group with most left.
class PointQueue {
 public:
  /// The key of every point's program; points are known by their index. In the order of the first point of each key.
  explicit PointQueue(const std::vector<std::string>& program_keys);

  /// For a worker whose last point was of `group`; nothing when no point is left.
  struct Next {
    std::size_t point = 0, group = 0;
  };
  std::optional<Next> next(std::optional<std::size_t> group = {});
  /// Gives a point back, to be next of its group.
  void put_back(const Next& taken);

  bool empty() const { return left_ == 0; }

 private:
  struct Group {
    std::deque<std::size_t> points;
    bool begun = false;
  };
  std::size_t choose(std::optional<std::size_t> group) const;

  std::vector<Group> groups_;
  std::size_t left_ = 0;
};

/// Part `part` of `parts` (from 0) of the points, in rising order: every point is in one part, and sizes are nearly
/// equal. Groups stay together where every part gets at least four of them.
std::vector<std::size_t> points_of_part(const std::vector<std::string>& program_keys, std::size_t part,
                                        std::size_t parts);

/// A text that is equal for points that compile to the same program as far as their arguments tell: all of them but
/// the machine's [ici] and [host] keys.
std::string program_key(const std::vector<std::string>& arguments);

}  // namespace podsim::workloads
