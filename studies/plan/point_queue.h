// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

/// Order in which the points of a study run, and which worker runs each.
namespace podsim::studies::plan {

/// Queue of points in groups that compile to the same program. A worker stays with its group, so that it compiles once.
/// A worker with an empty group gets the first group that no worker has begun, else a point of the group with the most
/// points left.
class PointQueue {
 public:
  /// `program_keys` has the program_key() of every point; a point is named by its index. Groups are in the order of
  /// their first points.
  explicit PointQueue(const std::vector<std::string>& program_keys);

  /// The next point for a worker, with `group` the group of the worker's last point; std::nullopt when no point is
  /// left.
  struct Next {
    std::size_t point = 0, group = 0;
  };
  std::optional<Next> next(std::optional<std::size_t> group = {});
  /// Returns a point to the queue, as the next one of its group.
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

/// The points of part `part` of `parts` (from 0), in ascending order. Every point is in exactly one part, and the parts
/// have nearly the same size. Groups stay together if there are at least four of them per part.
std::vector<std::size_t> points_of_part(const std::vector<std::string>& program_keys, std::size_t part,
                                        std::size_t parts);

/// A text that is equal for points that compile to the same program as far as their arguments show: all arguments
/// except assignments to [ici] and [host] keys of the machine.
std::string program_key(const std::vector<std::string>& arguments);

}  // namespace podsim::studies::plan
