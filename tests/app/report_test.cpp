// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/browser.h"
#include "tests/app/commands.h"
#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr std::size_t max_bytes = 1'000'000;
constexpr const char* hostile = "</script><script>window.fooled=1</script><img src=x onerror='fooled=1'>\" & 'end";

void expect_done(const test::Folder& folder, const Words& arguments) {
  const test::Outcome outcome = folder.run(arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
}

/// Records of a CSV file; quotes as RFC 4180 has them.
std::vector<Words> records(const std::string& text) {
  std::vector<Words> result;
  bool quoted = false;
  std::string line;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c != '\n' || quoted) {
      line += c;
      continue;
    }
    Words cells(1);
    bool inside = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"' && inside && i + 1 < line.size() && line[i + 1] == '"') {
        cells.back() += line[i++];
      } else if (line[i] == '"') {
        inside = !inside;
      } else if (line[i] == ',' && !inside) {
        cells.emplace_back();
      } else {
        cells.back() += line[i];
      }
    }
    result.push_back(std::move(cells));
    line.clear();
  }
  return result;
}

/// A column of a CSV file by its name.
Words column(const std::string& text, const std::string& name) {
  const std::vector<Words> table = records(text);
  const auto at = std::size_t(std::find(table[0].begin(), table[0].end(), name) - table[0].begin());
  Words cells;
  for (std::size_t row = 1; row < table.size(); ++row) cells.push_back(table[row].at(at));
  return cells;
}

Json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"run-data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return Json::parse(page.substr(at, page.find("</script>", at) - at));
}

/// Texts out of forms with holes and the numbers that go into them.
Words texts(const Json& compact) {
  Words result;
  std::size_t next = 0;
  for (const Json& form : compact.at("form")) {
    std::string text;
    for (const char c : compact.at("forms").at(form.get<std::size_t>()).get<std::string>()) {
      text += c == '\x01' ? std::to_string(compact.at("numbers").at(next++).get<std::int64_t>()) : std::string(1, c);
    }
    result.push_back(text);
  }
  return result;
}

std::multiset<double> numbers_of(const std::string& page) {
  std::multiset<double> values;
  const std::regex figure("<data value=\"([^\"]*)\">");
  for (std::sregex_iterator at(page.begin(), page.end(), figure), end; at != end; ++at) {
    values.insert(std::stod((*at)[1]));
  }
  return values;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t times = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++times;
  return times;
}

/// Where a tag that begins at `at` ends: the first '>' outside of quotes. `npos` if there is none before another tag.
std::size_t end_of_tag(const std::string& page, std::size_t at) {
  bool quoted = false;
  for (++at; at < page.size(); ++at) {
    if (page[at] == '"') quoted = !quoted;
    if (!quoted && page[at] == '>') return at;
    if (!quoted && page[at] == '<') break;
  }
  return std::string::npos;
}

/// The first tag that closes no open one, or is never closed; empty when all fit.
std::string unbalanced_tag(const std::string& page) {
  const std::set<std::string> empty = {"meta", "link", "input", "br", "img"};
  const std::regex form("(/?)([a-zA-Z][a-zA-Z0-9]*)");
  Words open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at)) {
    const std::size_t end = end_of_tag(page, at);
    std::smatch match;
    const std::string head = page.substr(at + 1, 60);
    if (page.substr(at, 15) == "<!doctype html>") {
      ++at;
      continue;
    }
    if (end == std::string::npos || !std::regex_search(head, match, form, std::regex_constants::match_continuous)) {
      return "no tag at <" + head;
    }
    const std::string name = match[2];
    at = end + 1;
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != name) return "</" + name + ">";
      open.pop_back();
    } else if (page[end - 1] != '/' && !empty.contains(name)) {
      open.push_back(name);
      if (name == "script" || name == "style") at = page.find("</" + name, at);
    }
  }
  return open.empty() ? "" : "<" + open.back() + ">";
}

TEST(Report, ShowsTheFiguresOfTheRun) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  const std::string page = folder.read("r/report.html");
  const Json stats = Json::parse(folder.read("r/stats.json"));
  const std::multiset<double> figures = numbers_of(page);
  for (const char* key : {"/step_time_s", "/samples_per_s", "/utilization/mxu", "/utilization/hbm", "/utilization/ici",
                          "/bound_share", "/memory/peak_bytes_per_core", "/flops_per_core_step", "/breakdown_s/compute",
                          "/breakdown_s/collective", "/breakdown_s/infeed", "/breakdown_s/other",
                          "/collectives/0/time_s", "/collectives/0/exposed_s", "/memory/largest_at_peak/0/bytes"}) {
    EXPECT_TRUE(figures.contains(stats.at(Json::json_pointer(key)).get<double>())) << key;
  }
  for (const std::string& value : column(folder.read("r/machine.csv"), "key")) {
    EXPECT_NE(page.find("<code>" + value + "</code>"), std::string::npos) << value;
  }
  EXPECT_NE(page.find("podsim run resnet50 --slice 2x2 --batch-per-core 2"), std::string::npos);
}

TEST(Report, ShowsTheJob) {
  const test::Folder folder;
  expect_done(folder, {"train", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "--epochs", "12", "--checkpoint",
                       "5000", "--set", "input.threads=1", "-o", "r"});
  const std::string page = folder.read("r/report.html");
  const Json stats = Json::parse(folder.read("r/stats.json"));
  const std::multiset<double> figures = numbers_of(page);
  for (const char* key :
       {"/training/time_to_train_s", "/training/start/time_s", "/train_loop/time_s", "/train_loop/cadence_s"}) {
    EXPECT_TRUE(figures.contains(stats.at(Json::json_pointer(key)).get<double>())) << key;
  }
  for (const char* text : {"Published trainings", "Checkpoints", "Waiting for hosts", "host 0, decode", "connect"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(unbalanced_tag(page), "");
  expect_done(folder, {"report", "r", "-o", "again.html"});
  EXPECT_EQ(folder.read("again.html"), page);
}

/// Start, loops and rounds follow one another without a gap, and end with the training of three loops.
TEST(Report, HasTheWholeJobOnItsTimeline) {
  const test::Folder folder;
  expect_done(folder, {"train", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "--epochs", "12", "--checkpoint",
                       "20000", "--input", "off", "-o", "r"});
  const Json stats = Json::parse(folder.read("r/stats.json")), job = Json::parse(folder.read("r/job.json"));
  std::map<int, std::string> lanes;
  double end = 0;
  std::map<std::string, int> spans;
  for (const Json& event : job["traceEvents"]) {
    if (event["name"] == "thread_name") lanes[event["tid"]] = event["args"]["name"];
    if (event["ph"] != "X") continue;
    const std::string lane = lanes[event["tid"]];
    ++spans[lane];
    if (lane != "start" && lane != "loop") continue;
    EXPECT_NEAR(double(event["ts"]), end, 1e-3) << event["name"];
    end = double(event["ts"]) + double(event["dur"]);
  }
  EXPECT_NEAR(end / 1e6, double(stats["training"]["start"]["time_s"]) + 3 * double(stats["train_loop"]["time_s"]),
              1e-6);
  EXPECT_EQ(spans["device"], 400);  // of some 320000 steps a round
  EXPECT_EQ(spans["storage"], 32);  // 16 checkpoints a round
}

TEST(Report, IsAWellFormedPageThatRefersToNothingOutside) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  const std::string page = folder.read("r/report.html");
  EXPECT_LT(page.size(), max_bytes);
  EXPECT_EQ(unbalanced_tag(page), "");
  EXPECT_EQ(page.find("http:"), std::string::npos);
  EXPECT_EQ(page.find("https:"), std::string::npos);
  EXPECT_FALSE(std::regex_search(page, std::regex("(src|href)=\"(?!#|data:)")));
}

TEST(Report, HasEveryOpOfTheTable) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  const std::string csv = folder.read("r/ops.csv");
  const Json ops = data_of(folder.read("r/report.html")).at("ops");
  EXPECT_EQ(texts(ops.at("hlo")), column(csv, "HLO op"));
  EXPECT_EQ(texts(ops.at("name")), column(csv, "TF op"));
  const Words times = column(csv, "Avg. self time (us)"),
              intensities = column(csv, "Operational Intensity (FLOP/Byte)");
  ASSERT_EQ(ops.at("kind").size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(ops["times"][ops["time"][i].get<std::size_t>()].get<double>(), std::stod(times[i])) << i;
    EXPECT_EQ(ops["kinds"][ops["kind"][i].get<std::size_t>()][4].get<double>(), std::stod(intensities[i])) << i;
  }
}

TEST(Report, HasEveryCountOfTheStepsActivity) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  const Json activity = Json::parse(folder.read("r/stats.json")).at("activity");
  const std::string page = folder.read("r/report.html");
  const std::size_t begin = page.find("id=\"activity-table\"");
  ASSERT_NE(begin, std::string::npos);
  const std::string table = page.substr(begin, page.find("</table>", begin) - begin);
  int counts = 0;
  for (const auto& [part, events] : activity.at("core").items()) {
    for (const auto& [name, count] : events.items()) {
      const auto all = activity.at("all_cores").at(part).at(name).get<std::int64_t>();
      if (all == 0) continue;
      ++counts;
      const std::size_t row = table.find("<code>" + name + "</code>");
      ASSERT_NE(row, std::string::npos) << part << "." << name;
      EXPECT_NE(table.find("data-value=\"" + std::to_string(all) + "\""), std::string::npos) << part << "." << name;
      EXPECT_NE(table.find("data-value=\"" + count.dump() + "\""), std::string::npos) << part << "." << name;
    }
  }
  EXPECT_GT(counts, 15);
}

TEST(Report, HasTheWholeLastStepOnItsTimeline) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  const Json stats = Json::parse(folder.read("r/stats.json"));
  const Json spans = data_of(folder.read("r/report.html")).at("spans");
  std::int64_t end = 0;
  for (const Json& gap : spans["gaps"]) end += gap[1].get<std::int64_t>();
  for (const Json& duration : spans["duration"])
    end += spans["durations"][duration.get<std::size_t>()].get<std::int64_t>();
  // The reported core may be the chip's other one; both wait for each other every step.
  EXPECT_NEAR(double(end), stats["step_time_ps"].get<double>(), 0.001 * double(end));
  EXPECT_EQ(spans["op"].size(), stats["ops_per_step"].get<std::size_t>());
}

TEST(Report, IsWrittenAgainFromTheFolderByteForByte) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  const std::string page = folder.read("r/report.html");
  expect_done(folder, {"report", "r", "-o", "again.html"});
  EXPECT_EQ(folder.read("again.html"), page);
  folder.write("r/report.html", "");
  expect_done(folder, {"report", "r"});
  EXPECT_EQ(folder.read("r/report.html"), page);
}

TEST(Report, OfAFolderThatLacksFilesSaysWhichAndHowToGetThem) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  std::filesystem::remove(folder.path() / "r/links.csv");
  std::filesystem::remove(folder.path() / "r/memory.csv");
  const test::Outcome outcome = folder.run({"report", "r"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("has no memory.csv, links.csv"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("podsim run resnet50 --slice 2x2 --batch-per-core 2 -o r"), std::string::npos)
      << outcome.err;
}

TEST(Report, OfNoRunIsBadInput) {
  const test::Folder folder;
  EXPECT_EQ(folder.run({"report", "nowhere"}).code, 2);
  EXPECT_EQ(folder.run({"report", "."}).code, 2);
  EXPECT_EQ(folder.run({"report"}).code, 2);
  expect_done(folder, test::small_run({"-o", "r"}));
  folder.write("r/timeline.json", "{}");
  const test::Outcome outcome = folder.run({"report", "r"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("timeline.json"), std::string::npos) << outcome.err;
}

TEST(Report, OfDamagedFiguresIsBadInput) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  const Json whole = Json::parse(folder.read("r/stats.json"));
  for (const char* key : {"collectives", "breakdown_s", "machine_peaks", "memory"}) {
    for (const bool is_gone : {true, false}) {
      Json stats = whole;
      if (is_gone) {
        stats.erase(key);
      } else {
        stats[key] = "nonsense";
      }
      folder.write("r/stats.json", stats.dump());
      const test::Outcome outcome = folder.run({"report", "r"});
      EXPECT_EQ(outcome.code, 2) << key << outcome.err;
      EXPECT_NE(outcome.err.find("stats.json"), std::string::npos) << outcome.err;
    }
  }
}

TEST(Report, FilesAgreeWithTheFigures) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  const Json stats = Json::parse(folder.read("r/stats.json"));
  double busiest = 0;
  for (const std::string& share : column(folder.read("r/links.csv"), "utilisation")) {
    busiest = std::max(busiest, std::stod(share));
  }
  EXPECT_NEAR(busiest, stats["utilization"]["ici"].get<double>(), 1e-6);
  std::int64_t most = 0;
  for (const std::string& live : column(folder.read("r/memory.csv"), "live_bytes")) {
    most = std::max<std::int64_t>(most, std::stoll(live));
  }
  EXPECT_EQ(most, stats["memory"]["peak_bytes_per_core"].get<std::int64_t>());
  double compute = 0;
  const std::string ops = folder.read("r/ops.csv");
  const Words bound = column(ops, "Bound by"), time = column(ops, "Total self time (us)");
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (bound[i] != "ICI" && bound[i] != "host") compute += std::stod(time[i]) * 1e-6 / stats["steps"].get<double>();
  }
  EXPECT_NEAR(compute, stats["breakdown_s"]["compute"].get<double>(), 1e-9);
}

// A collective is bound by the network if at least half of its time is transfer, else by the cores that come later. So
// both together are the collectives' time, and neither is more than twice the time of its kind.
TEST(Report, CollectivesAreBoundByTheNetworkOrByTheCoresThatComeLater) {
  const test::Folder folder;
  const Json run = test::json_of(folder, {"run", "pipelined_mlp", "--slice", "2x1", "--json", "-o", "r"});
  const std::string ops = folder.read("r/ops.csv");
  const Words bound = column(ops, "Bound by"), time = column(ops, "Total self time (us)");
  double network = 0, others = 0;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const double seconds = std::stod(time[i]) * 1e-6 / run["steps"].get<double>();
    if (bound[i] == "ICI") network += seconds;
    if (bound[i] == "other cores") others += seconds;
  }
  const double all = run["breakdown_s"]["collective"];
  EXPECT_NEAR(network + others, all, 1e-9);
  const auto is_reported = [&](const Json& stage) { return stage["collective_s"] == run["breakdown_s"]["collective"]; };
  const auto stage = std::ranges::find_if(run["stages"], is_reported);
  ASSERT_NE(stage, run["stages"].end());
  EXPECT_LE(network, 2 * (*stage)["transfer_s"].get<double>() + 1e-9);
  EXPECT_LE(others, 2 * (*stage)["waiting_s"].get<double>() + 1e-9);
  EXPECT_GT(others, all / 2) << "three of four stages are idle when a pipeline fills and drains";
}

TEST(Report, LinksOfAFoldedSliceAreWrittenOut) {
  const test::Folder folder;
  const Words run = {"run", "resnet50", "--slice", "2x32", "--batch-per-core", "2", "-o"};
  Words folded = run, whole = run;
  folded.emplace_back("folded");
  whole.insert(whole.end(), {"whole", "--fold", "off"});
  expect_done(folder, folded);
  expect_done(folder, whole);
  EXPECT_LT(Json::parse(folder.read("folded/stats.json"))["simulated_chips"], 64);
  EXPECT_EQ(folder.read("folded/links.csv"), folder.read("whole/links.csv"));
}

/// A run whose ops, machine and notes have names that would be markup.
void poison(const test::Folder& folder, const std::string& run) {
  const auto replace = [&](const std::string& file, const std::string& what, const std::string& by) {
    std::string text = folder.read(run + "/" + file);
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
      text.replace(at, what.size(), by);
    }
    folder.write(run + "/" + file, text);
  };
  std::string cell;
  for (const char* c = hostile; *c != '\0'; ++c) cell += *c == '"' ? std::string("\"\"") : std::string(1, *c);
  const std::string quoted = "\"" + cell + "\"";
  replace("ops.csv", "gradients/stem/conv", quoted);
  replace("ops.csv", "convolution fusion", quoted);
  replace("machine.csv", "CACM20\n", quoted + "\n");
  replace("memory.csv", "gradients/stem/conv", quoted);
  Json stats = Json::parse(folder.read(run + "/stats.json"));
  stats["notes"] = {hostile};
  stats["warnings"] = {hostile};
  stats["workload"] = hostile;
  stats["memory"]["largest_at_peak"][0]["op_name"] = hostile;
  folder.write(run + "/stats.json", stats.dump());
  Json manifest = Json::parse(folder.read(run + "/manifest.json"));
  manifest["command_line"] = hostile;
  folder.write(run + "/manifest.json", manifest.dump());
}

TEST(Report, NamesThatAreMarkupStayText) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  const std::string tame = folder.read("r/report.html");
  poison(folder, "r");
  expect_done(folder, {"report", "r"});
  const std::string page = folder.read("r/report.html");
  EXPECT_EQ(unbalanced_tag(page), "");
  for (const char* tag : {"<script", "</script", "<img"}) EXPECT_EQ(count(page, tag), count(tame, tag)) << tag;
  const Words names = texts(data_of(page).at("ops").at("name"));
  EXPECT_NE(std::find(names.begin(), names.end(), hostile), names.end());
}

TEST(Report, OfLargeProgramsAndSlicesStaysSmall) {
  const test::Folder folder;
  expect_done(folder, {"run", "dense_137b", "--slice", "32x32", "--steps", "1", "-o", "dense"});
  expect_done(folder, {"run", "resnet50", "--slice", "128x32", "--batch-per-core", "8", "-o", "wide"});
  for (const char* run : {"dense", "wide"}) {
    const std::string page = folder.read(std::string(run) + "/report.html");
    EXPECT_LT(page.size(), max_bytes) << run;
    EXPECT_EQ(texts(data_of(page).at("ops").at("hlo")), column(folder.read(std::string(run) + "/ops.csv"), "HLO op"));
  }
  const std::string dense = folder.read("dense/report.html");
  EXPECT_NE(dense.find("x=32@"), std::string::npos);
  EXPECT_NE(dense.find("id=\"axis-table\""), std::string::npos);
}

TEST(ReportInBrowser, WorksFromDisk) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  const std::size_t ops = records(folder.read("r/ops.csv")).size() - 1;
  const test::PageCheck check = test::check_in_browser(
      folder.path() / "r/report.html",
      {"document.querySelector(\"#op-table output\").textContent === \"" + std::to_string(ops) + "\"",
       // A disc of the roofline picks its op.
       "(() => { const disc = [...document.querySelectorAll(\".on-desk [data-op]\")].pop();"
       " disc.dispatchEvent(new MouseEvent(\"click\", {bubbles: true}));"
       " return disc.dataset.tip.startsWith(document.querySelector(\"#op-table .details strong\").textContent); })()",
       // Plus shows less time, zero all of it.
       "(() => { const chart = document.querySelector(\".timeline\"),"
       " said = () => document.querySelector(\"#timeline-chart output\").textContent, all = said(),"
       " press = (key) => chart.dispatchEvent(new KeyboardEvent(\"keydown\", {key, bubbles: true}));"
       " press(\"+\"); const part = said(); press(\"0\"); return part !== all && said() === all; })()",
       // The arrow keys walk over a chart and show the values at the cursor.
       "(() => { const chart = document.querySelector(\"#memory .on-desk svg\"); chart.focus();"
       " chart.dispatchEvent(new KeyboardEvent(\"keydown\", {key: \"ArrowRight\", bubbles: true}));"
       " return !document.getElementById(\"tip\").hidden; })()"});
  if (!check.skipped.empty()) GTEST_SKIP() << check.skipped;
  EXPECT_EQ(check.output, "the page works\n");
}

TEST(ReportInBrowser, IsNotFooledByNames) {
  const test::Folder folder;
  expect_done(folder, test::small_run({"-o", "r"}));
  poison(folder, "r");
  expect_done(folder, {"report", "r"});
  const test::PageCheck check =
      test::check_in_browser(folder.path() / "r/report.html", {"window.fooled === undefined"});
  if (!check.skipped.empty()) GTEST_SKIP() << check.skipped;
  EXPECT_EQ(check.output, "the page works\n");
}

TEST(ReportInBrowser, WorksForAPartitionedProgram) {
  const test::Folder folder;
  expect_done(folder, {"run", "transformer", "--slice", "4x4", "-o", "r"});
  const test::PageCheck check =
      test::check_in_browser(folder.path() / "r/report.html", {"document.querySelectorAll(\"#mesh svg\").length > 0"});
  if (!check.skipped.empty()) GTEST_SKIP() << check.skipped;
  EXPECT_EQ(check.output, "the page works\n");
}

}  // namespace
}  // namespace podsim
