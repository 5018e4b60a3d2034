// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/output/earlier_files.h"
#include "base/config_listing.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/host/output_folder.h"
#include "base/text/json_text.h"
#include "base/text/utf8.h"
#include "base/version.h"
#include "report/html/run_page.h"
#include "report/link_report.h"
#include "report/run/energy_report.h"
#include "report/run/job_report.h"
#include "report/run/memory_schedule.h"
#include "report/run/train_report.h"
#include "sw/chakra/run_trace.h"
#include "sw/chakra/trace_file.h"

namespace podsim::app::run {
namespace {

/// What the traces of all ranks say of the run.
std::map<std::string, std::string> trace_attributes(const report::run::RunReport& report) {
  return {{"producer", std::string("podsim ") + base::program_version},
          {"workload", report.workload},
          {"machine", report.machine.name},
          {"slice", report.slice},
          {"step_time_ps", std::to_string(report.result.step_time.value())}};
}

nlohmann::ordered_json manifest(const report::run::RunReport& report, const RunRecord& record) {
  nlohmann::ordered_json files = {{"stats.json", "the figures of the run, as --json prints them without host times"},
                                  {"summary.txt", "the figures for people"},
                                  {"statistics.txt", "counters with their units"},
                                  {"ops.csv", "every op of a step in XProf's columns"},
                                  {"memory.csv", "what is live on a core by position in the schedule"},
                                  {"power.csv", "watts of a chip and of its parts over the last step"},
                                  {"links.csv", "what every link of the slice carried in the last step"},
                                  {"timeline.json", "chip (0,0) core 0 over time, for ui.perfetto.dev"},
                                  {"machine.toml", "the resolved machine, a machine file"},
                                  {"machine.csv", "every value of it with its evidence, source and origin"},
                                  {"report.html", "all of this as one page, for a browser"},
                                  {"manifest.json", "this list"}};
  if (report.partition) {
    files["mesh.svg"] = "where the axes of the mesh lie on the slice";
    files["mesh.csv"] = "the same as a table: the partition on every core, and its positions along the axes";
    files["layers.csv"] = "what cutting costs each layer: work of all partitions, halos, other collectives";
  }
  if (report.loop) files["job.json"] = "start, loops and hosts of the job over time, for ui.perfetto.dev";
  for (const auto& [name, description] : record.other_files) files[name] = description;
  return {{"schema_version", 1},
          {"program", base::program_version},
          {"build", base::short_build_id()},
          {"command_line", record.command_line},
          {"workload", report.workload},
          {"machine", report.machine.name},
          {"slice", report.slice},
          {"detail", report.detail},
          {"partial", report.result.partial},
          {"files", files}};
}

std::string link_bytes_csv(const report::run::RunReport& report, const noc::Topology& slice) {
  const double most =
      report.machine.ici.payload_rate().si() * report.step_s();  // bytes that a link can carry in a step
  std::vector<report::LinkFigures> links;
  for (noc::LinkId id = 0; id < noc::LinkId(report.result.link_bytes.size()); ++id) {
    const std::int64_t bytes = report.result.link_bytes[std::size_t(id)].value();
    links.push_back({.link = id, .amount = bytes, .utilisation = most > 0 ? double(bytes) / most : 0});
  }
  return report::link_csv(slice, links, "bytes");
}

}  // namespace

void write_run(const std::filesystem::path& folder, const report::run::RunReport& report, const RunRecord& record) {
  std::ostringstream spans;
  record.timeline.write_json(spans);
  const nlohmann::ordered_json list = manifest(report, record);
  std::set<std::string> names;
  for (const auto& [name, description] : list.at("files").items()) names.insert(name);
  output::remove_earlier_files(folder, names);
  // The list comes first, so that the next run knows what a run that was killed here has left.
  base::host::write_file(folder / "manifest.json", base::text::json_text(list, 2) + "\n");
  base::host::write_file(folder / "stats.json", report::run::run_stats(report));
  base::host::write_file(
      folder / "summary.txt",
      base::text::printable(report.training ? report::run::train_text(report) : report::run::summary_text(report)));
  std::ostringstream statistics;
  report.result.statistics.write_text(statistics);
  base::host::write_file(folder / "statistics.txt", statistics.str());
  base::host::write_file(folder / "ops.csv", report::run::ops_csv(report));
  if (report.partition) {
    base::host::write_file(folder / "mesh.svg", report::run::mesh_svg(report.partition->placed.placement));
    base::host::write_file(folder / "mesh.csv", report::run::mesh_csv(report.partition->placed.placement));
    base::host::write_file(folder / "layers.csv", hlo::spmd::partition::sharding_costs_csv(report.partition->layers));
  }
  base::host::write_file(folder / "memory.csv", report::run::memory_schedule_csv(report.memory));
  base::host::write_file(folder / "power.csv", report::run::power_csv(report));
  base::host::write_file(folder / "links.csv", link_bytes_csv(report, record.slice));
  base::host::write_file(folder / "timeline.json", spans.str());
  if (report.loop) {
    std::ostringstream job;
    report::run::job_timeline(report).write_json(job);
    base::host::write_file(folder / "job.json", job.str());
  }
  base::host::write_file(folder / "machine.toml", record.machine.to_toml());
  base::host::write_file(folder / "machine.csv", base::listing_csv(record.machine));
  base::host::write_file(folder / "report.html", report::html::run_page(report::html::read_run_files(folder)));
}

void write_traces(const std::filesystem::path& folder, const report::run::RunReport& report,
                  const noc::Topology& slice) {
  sw::chakra::RunTrace traces(report.program, report.result, report.machine, slice);
  const base::host::OutputFolder of_traces(folder / "chakra");
  for (std::int32_t rank = 0; rank < traces.ranks(); ++rank) {
    base::host::end_if_interrupted();
    sw::chakra::RankTrace trace = traces.of(rank);
    trace.attributes = trace_attributes(report);
    base::host::write_file(of_traces.path() / fmt::format("step.{}.et", rank), sw::chakra::encode(trace));
  }
  base::host::write_file(of_traces.path() / "comm_group.json", sw::chakra::groups_json(traces.groups()));
}

}  // namespace podsim::app::run
