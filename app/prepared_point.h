// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/point_output.h"
#include "app/resolved_machines.h"
#include "workloads/study/study.h"
#include "workloads/study/study_store.h"

namespace podsim::app {

/// A point of a study with what tells whether it has been run before.
struct PreparedPoint {
  workloads::StudyPoint point;
  std::string id;           ///< 16 hexadecimal digits
  std::string program_key;  ///< workloads::program_key
};

/// Every point of the study, by position. The id is the beginning of a SHA-256 of the program's version, the arguments
/// (files as the study names them), the resolved machine and the contents of the files: what results follow from.
/// InputError when a file cannot be read, or when two points are the same run.
std::vector<PreparedPoint> prepare_points(const workloads::Study& study);

/// The words that run the point again, as a shell reads them.
std::string point_command(const PreparedPoint& point);

/// Makes what goes into the database of runs that are over.
class PointRecorder {
 public:
  /// `study` outlives it.
  explicit PointRecorder(const workloads::Study& study);

  /// A run that went well but printed no JSON has failed.
  workloads::PointRecord record(const PreparedPoint& point, const PointOutput& output);
  /// What the database keeps of a run of the point (StudyStore::take_over), as this text of the study has it.
  workloads::PointRecord renewed(const PreparedPoint& point, workloads::PointRecord run);

 private:
  void describe(const PreparedPoint& point, workloads::PointRecord& record);

  const workloads::Study& study_;
  std::string node_, build_;
  ResolvedMachines machines_;
};

}  // namespace podsim::app
