// SPDX-License-Identifier: Apache-2.0
#include "report/html/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "base/diagnostic.h"
#include "report/run/json_fault.h"

namespace podsim::report::html {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const std::vector<CsvTable::Column> op_columns{{"Category"},
                                               {"HLO op"},
                                               {"TF op"},
                                               {"#Occurrences", true},
                                               {"Avg. self time (us)", true},
                                               {"Total self time (%)", true},
                                               {"%time stalled by DMA", true},
                                               {"Measured GFLOP/s", true},
                                               {"Measured Memory BW (GiB/s)", true},
                                               {"Operational Intensity (FLOP/Byte)", true},
                                               {"Bound by"},
                                               {"HLO Rematerialization"},
                                               {"Outside Compilation"},
                                               {"Energy of events (J)", true}};
const std::vector<CsvTable::Column> memory_columns{
    {"position", true}, {"instruction"}, {"op_name"}, {"live_bytes", true}};
const std::vector<CsvTable::Column> power_columns{{"begin_us", true}, {"chip_w", true}};
const std::vector<CsvTable::Column> link_columns{{"from"},      {"to"},          {"dimension"},
                                                 {"direction"}, {"bytes", true}, {"utilisation", true}};
const std::vector<CsvTable::Column> machine_columns{{"key"}, {"value"}, {"evidence"}, {"set in"}, {"source"}};
const std::vector<CsvTable::Column> mesh_columns{{"chip"}, {"core", true}, {"partition"}};

/// Checks for the files that a page needs in addition to those of read_run_folder.
void check_files(const run::RunFolder& folder) {
  std::vector<std::string> missing;
  for (const char* name : {"memory.csv", "power.csv", "links.csv", "machine.csv", "timeline.json"}) {
    std::error_code ignored;
    if (!fs::is_regular_file(folder.path / name, ignored)) missing.emplace_back(name);
  }
  if (missing.empty()) return;
  std::string names;
  for (const std::string& name : missing) names += (names.empty() ? "" : ", ") + name;
  const auto written = folder.manifest.find("command_line");
  const std::string command =
      written != folder.manifest.end() && written->is_string() ? written->get<std::string>() : "podsim run ...";
  throw base::InputError(fmt::format("'{}' has no {}, which the report shows", folder.path.string(), names),
                         fmt::format("'{} -o {}' writes the folder anew", command, folder.path.string()));
}

std::vector<RunOp> read_ops(const fs::path& file) {
  const CsvTable table(file, op_columns);
  std::vector<RunOp> ops;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    RunOp& op = ops.emplace_back();
    op.category = table.text(row, "Category");
    op.hlo_text = table.text(row, "HLO op");
    op.op_name = table.text(row, "TF op");
    op.occurrences = table.number(row, "#Occurrences");
    op.average_us = table.number(row, "Avg. self time (us)");
    op.share = table.number(row, "Total self time (%)");
    op.stalled = table.number(row, "%time stalled by DMA");
    op.gflops_per_s = table.number(row, "Measured GFLOP/s");
    op.gibibytes_per_s = table.number(row, "Measured Memory BW (GiB/s)");
    op.intensity = table.number(row, "Operational Intensity (FLOP/Byte)");
    op.bound_by = table.text(row, "Bound by");
    op.rematerialization = table.text(row, "HLO Rematerialization");
    op.outside_compilation = table.text(row, "Outside Compilation");
    op.joules = table.number(row, "Energy of events (J)");
  }
  return ops;
}

base::Time picoseconds(const Json& microseconds) { return base::Time(std::llround(microseconds.get<double>() * 1e6)); }

/// Spans in the rows "ops" and "steps" of the timeline.
struct Rows {
  std::vector<RunSpan> ops, steps;
};

Rows read_rows(const Json& timeline) {
  std::map<std::pair<int, int>, std::string> names;
  Rows rows;
  for (const Json& event : timeline.at("traceEvents")) {
    const std::pair row(event.at("pid").get<int>(), event.at("tid").get<int>());
    if (event.at("ph") == "M" && event.at("name") == "thread_name") names[row] = event.at("args").at("name");
    if (event.at("ph") != "X") continue;
    const std::string& name = names[row];
    if (name != "ops" && name != "steps") continue;
    RunSpan span{event.at("name"), event.at("cat"), "", picoseconds(event.at("ts")), {}};
    span.end = span.begin + picoseconds(event.at("dur"));
    if (event.contains("args") && event.at("args").contains("hlo")) span.instruction = event.at("args").at("hlo");
    if (name == "ops") {
      rows.ops.push_back(std::move(span));
    } else if (span.category == "step") {  // not of an evaluation
      rows.steps.push_back(std::move(span));
    }
  }
  return rows;
}

void read_timeline(RunFiles& files) {
  const fs::path file = files.folder.path / "timeline.json";
  Rows rows;
  try {
    rows = read_rows(run::read_json(file));
  } catch (const Json::exception&) {
    run::reject_json({file});
  }
  files.whole_step = !rows.steps.empty();
  if (files.whole_step) {
    const RunSpan& step = rows.steps.back();
    files.step_begin = step.begin;
    std::erase_if(rows.ops, [&](const RunSpan& span) { return span.begin < step.begin || span.end > step.end; });
  }
  files.spans = std::move(rows.ops);
}

void read_job(RunFiles& files) {
  const fs::path file = files.folder.path / "job.json";
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return;
  try {
    const Json timeline = run::read_json(file);
    std::map<int, std::string> groups;
    std::map<std::pair<int, int>, std::string> lanes;
    for (const Json& event : timeline.at("traceEvents")) {
      const std::pair row(event.at("pid").get<int>(), event.at("tid").get<int>());
      if (event.at("name") == "process_name") groups[row.first] = event.at("args").at("name");
      if (event.at("name") == "thread_name") lanes[row] = event.at("args").at("name");
      if (event.at("ph") != "X") continue;
      const base::Time begin = picoseconds(event.at("ts"));
      files.job.push_back(
          {groups[row.first], lanes[row], event.at("name"), begin, begin + picoseconds(event.at("dur"))});
    }
  } catch (const Json::exception&) {
    run::reject_json({file});
  }
}

}  // namespace

std::string RunOp::instruction() const {
  if (hlo_text.empty() || hlo_text.front() != '%') return "";
  return hlo_text.substr(1, hlo_text.find(' ') - 1);
}

double RunFiles::seconds_per_step(const RunOp& op) const {
  return op.total_us() * 1e-6 / double(std::max<std::int64_t>(1, folder.steps));
}

RunFiles read_run_files(const fs::path& path) {
  run::RunFolder folder = run::read_run_folder(path);
  check_files(folder);
  RunFiles files{.folder = std::move(folder),
                 .ops = read_ops(path / "ops.csv"),
                 .memory = CsvTable(path / "memory.csv", memory_columns),
                 .power = CsvTable(path / "power.csv", power_columns),
                 .links = CsvTable(path / "links.csv", link_columns),
                 .machine = CsvTable(path / "machine.csv", machine_columns),
                 .mesh = {},
                 .step_begin = {},
                 .spans = {},
                 .job = {}};
  std::error_code ignored;
  if (fs::is_regular_file(path / "mesh.csv", ignored)) files.mesh.emplace(path / "mesh.csv", mesh_columns);
  read_timeline(files);
  read_job(files);
  return files;
}

}  // namespace podsim::report::html
