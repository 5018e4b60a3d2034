// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/host/process_output.h"
#include "studies/plan/study.h"
#include "studies/store/study_store.h"
#include "workloads/machines/resolved_machines.h"

namespace podsim::studies::sweep {

/// A point of a study with the id by which earlier runs of it are found.
struct PreparedPoint {
  plan::StudyPoint point;
  std::string id;           ///< 16 hexadecimal digits
  std::string program_key;  ///< plan::program_key() of its arguments
};

/// Gives points their ids.
class PointPreparer {
 public:
  /// Throws InputError if a file of the point cannot be read.
  PreparedPoint prepare(plan::StudyPoint point);

 private:
  workloads::machines::ResolvedMachines machines_;
  std::map<std::string, std::string> digests_;  ///< of files, by path; each is read once
};

/// All points of the study, by position. The id is the beginning of a SHA-256 of all that determines the results: the
/// program's version, the arguments (files as the study names them), the resolved machine and the contents of the
/// files. Throws InputError if a file cannot be read or if two points are the same run.
std::vector<PreparedPoint> prepare_points(const plan::Study& study);

/// The command line that runs the point again, quoted for a shell.
std::string point_command(const PreparedPoint& point);

/// Makes the database records of finished runs.
class PointRecorder {
 public:
  /// `study` must outlive it.
  explicit PointRecorder(const plan::Study& study);

  /// The record of a run. A run that exits with 0 but prints no JSON has failed.
  store::PointRecord record(const PreparedPoint& point, const base::host::ProcessOutput& output);
  /// A stored run of the point as this text of the study describes it (for StudyStore::take_over).
  store::PointRecord renewed(const PreparedPoint& point, store::PointRecord run);

 private:
  void describe(const PreparedPoint& point, store::PointRecord& record);

  const plan::Study& study_;
  std::string node_, build_;
  workloads::machines::ResolvedMachines machines_;
};

}  // namespace podsim::studies::sweep
