// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/slurm_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/output_file.h"
#include "base/host/output_folder.h"
#include "base/host/standard_output.h"
#include "base/text/counted.h"
#include "studies/plan/study.h"
#include "studies/sweep/prepared_point.h"
#include "studies/sweep/study_folder.h"
#include "studies/sweep/sweep_store.h"

namespace podsim::app::sweep {
namespace {

constexpr std::size_t points_of_a_task = 64, max_tasks_unasked = 1000;  // tasks of an array, by SLURM's default limit

/// A value of a `#SBATCH` line, quoted if sbatch would split it at a blank, or take a character of it as a quote or
/// comment.
std::string batch_word(const std::string& text) {
  if (text.find_first_of(" \t'\"#\\") == std::string::npos) return text;
  std::string word = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') word += '\\';
    word += letter;
  }
  return word + "\"";
}

/// File of a job's output. A % in the folder's name is doubled, because it would begin a pattern.
std::string output_file(const SlurmBatch& batch, const std::string& pattern) {
  std::string path;
  for (const char letter : batch.folder.string()) path += letter == '%' ? "%%" : std::string(1, letter);
  return batch_word((std::filesystem::path(path) / pattern).string());
}

void require_one_line(const SlurmBatch& batch) {
  const auto is_one_line = [](const std::string& text) { return text.find('\n') == std::string::npos; };
  if (is_one_line(batch.folder.string()) && is_one_line(batch.name)) return;
  throw base::InputError("a batch file cannot name a folder or study with a line break",
                         "choose another folder with -o");
}

/// The first lines of both files.
std::string head(const SlurmBatch& batch, const std::string& job, const std::string& output) {
  return fmt::format(
      "#!/bin/bash\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --output={}\n",
      batch_word(job), output_file(batch, output));
}

std::string sweep_line(const SlurmBatch& batch) {
  std::string line =
      "exec " + base::host::shell_line({batch.program.string(), "sweep", batch.study, "-o", batch.folder.string()});
  if (batch.yes) line += " --yes";
  if (batch.rerun) line += " --rerun";
  if (batch.timeout_s > 0) line += fmt::format(" --timeout {}", batch.timeout_s);
  return line + " -j \"${SLURM_CPUS_PER_TASK:-1}\"";
}

/// Applies a changed text of the study to the database here, because shards refuse a changed text.
void take_over_change(const studies::sweep::StudyPaths& paths, const studies::plan::Study& study,
                      const std::vector<studies::sweep::PreparedPoint>& points, const SweepOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::exists(paths.database, ignored) || studies::store::is_of_text(paths.database, study)) return;
  studies::sweep::SweepStore(paths, study, std::nullopt, points, {.discard = options.yes}).close();
}

}  // namespace

std::string array_script(const SlurmBatch& batch) {
  return head(batch, batch.name, "slurm-%A_%a.out") + fmt::format("#SBATCH --array=0-{}\n\n", batch.tasks - 1) +
         sweep_line(batch) + " \\\n  --shard \"$((SLURM_ARRAY_TASK_ID + 1))/$SLURM_ARRAY_TASK_COUNT\"\n";
}

std::string finish_script(const SlurmBatch& batch) {
  return head(batch, batch.name + "-finish", "slurm-%j.out") + "\n" + sweep_line(batch) + "\n";
}

void emit_slurm(const SweepOptions& options, std::size_t tasks) {
  const studies::plan::Study study = studies::plan::read_study(options.study);
  if (study.search) {
    base::host::locate_errors("--emit", "slurm", [] {
      throw base::InputError(
          "a search cannot be run by an array of tasks: each of its points depends on the results of "
          "all before",
          "one job with podsim-mpi runs its batches in parallel");
    });
  }
  if (!options.yes) studies::plan::require_moderate_size(study);
  const std::vector<studies::sweep::PreparedPoint> prepared = studies::sweep::prepare_points(study);
  const std::size_t points = prepared.size();
  const studies::sweep::StudyPaths paths(options.output.empty() ? study.name : options.output, study, std::nullopt);
  SlurmBatch batch;
  batch.name = study.name;
  batch.study = study.path.empty() ? study.name : std::filesystem::absolute(study.path).lexically_normal().string();
  batch.folder = std::filesystem::absolute(paths.folder).lexically_normal();
  require_one_line(batch);
  batch.program = std::filesystem::read_symlink("/proc/self/exe");
  batch.tasks = std::min(
      tasks != 0 ? tasks : std::min((points + points_of_a_task - 1) / points_of_a_task, max_tasks_unasked), points);
  batch.yes = options.yes;
  batch.rerun = options.rerun;
  batch.timeout_s = options.timeout_s;
  const base::host::OutputFolder folder(batch.folder);
  take_over_change(paths, study, prepared, options);
  base::host::write_file(batch.array_file(), array_script(batch));
  base::host::write_file(batch.finish_file(), finish_script(batch));
  base::host::print_result(fmt::format(
      "{} in an array of {}:\n\n"
      "  job=$(sbatch --parsable {})\n"
      "  sbatch --dependency=afterany:$job {}\n",
      base::text::counted(points, "point"), batch.tasks == 1 ? "one task" : fmt::format("{} tasks", batch.tasks),
      base::host::shell_line({batch.array_file().string()}), base::host::shell_line({batch.finish_file().string()})));
}

}  // namespace podsim::app::sweep
