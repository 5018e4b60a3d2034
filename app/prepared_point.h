// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/point_output.h"
#include "workloads/study/study.h"
#include "workloads/study/study_store.h"

namespace podsim::app {

/// A point of a study with what tells whether it has been run before.
struct PreparedPoint {
  workloads::StudyPoint point;
  std::string id;  ///< 16 hexadecimal digits
  /// Resolved TOML, which points may share; empty where the point's machine is refused, as its run will be.
  std::shared_ptr<const std::string> machine;
  std::string program_key;  ///< workloads::program_key
};

/// Every point of the study, by position. The id is the beginning of a SHA-256 of the program's version, the arguments
/// (files as the study names them), the resolved machine and the contents of the files: what results follow from.
/// InputError when a file cannot be read, or when two points are the same run.
std::vector<PreparedPoint> prepare_points(const workloads::Study& study);

/// The words that run the point again, as a shell reads them.
std::string point_command(const PreparedPoint& point);

/// What goes into the database of a run that is over. A run that went well but printed no JSON has failed.
workloads::PointRecord record_point(const workloads::Study& study, const PreparedPoint& point,
                                    const PointOutput& output, const std::string& node);

}  // namespace podsim::app
