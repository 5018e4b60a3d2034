// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "tests/app/browser.h"
#include "tests/app/program.h"

namespace podsim {
namespace {

using Words = std::vector<std::string>;

constexpr const char* small_study = R"(title = "Small"
question = "What do batch and links do?"
metrics = ["step_time_s", "samples_per_s", "utilization.ici", "memory.argument_bytes_per_core"]
[base]
workload = "resnet50"
slice = "2x2"
[axes]
batch_per_core = [1, 2, 4]
"ici.link_rate" = ["328 Gb/s", "656 Gb/s"]
[baseline]
batch_per_core = 2
"ici.link_rate" = "656 Gb/s"
[report]
minimise = ["step_time_s"]
maximise = ["samples_per_s"]
)";

/// A folder with the study of six points, swept.
class Swept {
 public:
  Swept() {
    folder_.write("small.toml", small_study);
    const test::Outcome outcome = folder_.run({"sweep", "small.toml", "-j", "2"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  const test::Folder& folder() const { return folder_; }
  test::Outcome report(const Words& more) const {
    Words words = {"report", "small"};
    words.insert(words.end(), more.begin(), more.end());
    return folder_.run(words);
  }

 private:
  test::Folder folder_;
};

std::size_t marks_in(const std::string& svg) {
  std::size_t count = 0;
  for (std::size_t at = svg.find("class=\"mark"); at != std::string::npos; at = svg.find("class=\"mark", at + 1))
    ++count;
  return count;
}

TEST(StudyReport, IsWrittenBesideTheDatabase) {
  const Swept swept;
  const test::Outcome outcome = swept.report({});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("small/small.html"), std::string::npos) << outcome.out;
  const std::string page = swept.folder().read("small/small.html");
  EXPECT_NE(outcome.out.find(fmt::format("{} kB\n", (page.size() + 999) / 1000)), std::string::npos) << outcome.out;
  EXPECT_NE(page.find("What do batch and links do?"), std::string::npos);
  EXPECT_NE(page.find("Least step_time_s: "), std::string::npos);
  EXPECT_LT(page.size(), 1'000'000U);
  EXPECT_EQ(swept.folder().run({"report", "small/small.sqlite", "-o", "other.html"}).code, 0);
  EXPECT_EQ(swept.folder().read("other.html"), page);
}

TEST(StudyReport, AChartAloneIsAFileOfItsOwn) {
  const Swept swept;
  const test::Outcome outcome = swept.report({"--chart", "links.svg", "--x", "ici.link_rate", "--metric",
                                              "utilization.ici", "--family", "none", "--fix", "batch_per_core=4"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string svg = swept.folder().read("links.svg");
  EXPECT_EQ(svg.rfind("<svg xmlns", 0), 0U);
  EXPECT_NE(svg.find("at batch_per_core 4"), std::string::npos);
  const std::vector<std::string> names = swept.folder().names("small");
  EXPECT_EQ(std::count(names.begin(), names.end(), "small.html"), 0) << "no page was asked for";
}

TEST(StudyReport, TakesAsManyFixedAxesAsThereAre) {
  const Swept swept;
  const test::Outcome outcome =
      swept.folder().run({"report", "--chart", "one.svg", "--fix", "batch_per_core=4", "--fix", "ici.link_rate=any",
                          "small", "--x", "step_time_s", "--family", "none"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(marks_in(swept.folder().read("one.svg")), 2U);
}

TEST(StudyReport, RefusesWhatTheStudyDoesNotHave) {
  const Swept swept;
  const struct {
    Words words;
    const char* said;
  } cases[] = {{{"--chart", "c.svg", "--metric", "step_time"}, "did you mean 'step_time_s'?"},
               {{"--chart", "c.svg", "--x", "ici.link_rat"}, "did you mean 'ici.link_rate'?"},
               {{"--chart", "c.svg", "--fix", "batch_per_core=3"}, "one of: any, 1, 2, 4"},
               {{"--chart", "c.svg", "--fix", "batch_per_core"}, "fixes no axis"},
               {{"--chart", ""}, "--chart"}};
  const test::Outcome file = swept.folder().run({"report", "small.toml"});
  EXPECT_NE(file.err.find("did you mean 'small'?"), std::string::npos) << file.err;
  for (const auto& [words, said] : cases) {
    const test::Outcome outcome = swept.report(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(swept.folder().run({"report", "nowhere.sqlite"}).code, 2);
  EXPECT_EQ(file.code, 2);
}

/// Positions and points of the marks of one class in a drawing for desks.
std::vector<std::string> marks_of(const std::string& page, const std::string& figure, const std::string& fill) {
  const std::size_t begin = page.find("class=\"on-desk\"", page.find("id=\"" + figure + "\""));
  const std::string drawing = page.substr(begin, page.find("</svg>", begin) - begin);
  const std::regex mark("<circle cx=\"([^\"]*)\" cy=\"([^\"]*)\" r=\"[^\"]*\" class=\"mark pick " + fill +
                        "\" data-point=\"([0-9]*)\"");
  std::vector<std::string> marks;
  for (std::sregex_iterator i(drawing.begin(), drawing.end(), mark), end; i != end; ++i) {
    marks.push_back(fmt::format("[{},{},{}]", std::string((*i)[1]), std::string((*i)[2]), std::string((*i)[3])));
  }
  return marks;
}

/// JavaScript that is true if the script drew the same marks in the same positions.
std::string drawn_alike(const std::string& page, const std::string& figure, const std::string& fill) {
  return fmt::format(
      "(() => {{ const was = [{}], is = [...document.querySelectorAll(\"#{} .on-desk .mark[class$={}]\")]"
      ".map((m) => [m.getAttribute(\"cx\"), m.getAttribute(\"cy\"), m.dataset.point].map(Number));"
      " return was.length === is.length && was.length > 0 &&"
      " was.every((each, i) => each.every((value, k) => Math.abs(value - is[i][k]) < 0.02)); }})()",
      fmt::join(marks_of(page, figure, fill), ","), figure, fill);
}

TEST(StudyReportInBrowser, WorksFromDisk) {
  const Swept swept;
  ASSERT_EQ(swept.report({}).code, 0);
  const std::string page = swept.folder().read("small/small.html");
  const Words expectations = {
      // Every curve of the default chart, and the front.
      drawn_alike(page, "axes-chart", "fill-1"), drawn_alike(page, "axes-chart", "fill-2"),
      drawn_alike(page, "front-chart", "fill-1"), drawn_alike(page, "front-chart", "fill-0"),
      "document.querySelector(\"#point-table output\").textContent === \"6\"",
      // Another metric is drawn with its name at the axis.
      "(() => { const field = document.querySelector(\"#chart-tools select\");"
      " field.value = [...field.options].find((o) => o.text === \"samples_per_s\").value;"
      " field.dispatchEvent(new Event(\"change\", {bubbles: true}));"
      " return document.querySelector(\"#axes-chart .y-title\").textContent.startsWith(\"samples_per_s\"); })()",
      // Arrow keys walk over the marks of a redrawn chart.
      "(() => { const chart = document.querySelector(\"#axes-chart .on-desk svg\");"
      " chart.dispatchEvent(new KeyboardEvent(\"keydown\", {key: \"ArrowRight\", bubbles: true}));"
      " return chart.querySelectorAll(\".current\").length === 1; })()",
      // A mark leads to its point with the command that runs it again; so does an address.
      "(() => { document.querySelector(\"#axes-chart .on-desk .mark\").dispatchEvent(new MouseEvent(\"click\", "
      "{bubbles: true}));"
      " const text = document.querySelector(\".details pre\").textContent;"
      " return text.includes(\"resnet50\") && location.hash === \"#\" + document.querySelector(\".details [id]\").id; "
      "})()",
      "(async () => { const id = JSON.parse(document.getElementById(\"study-data\").textContent).ids[5];"
      " location.hash = \"point-\" + id; await new Promise((done) => setTimeout(done, 200));"
      " return document.querySelector(\".details [id]\").id === \"point-\" + id; })()",
      // The tornado of another metric.
      "(() => { const field = document.querySelector(\"#sensitivity-tools select\"); field.value = \"1\";"
      " field.dispatchEvent(new Event(\"change\", {bubbles: true}));"
      " return [...document.querySelectorAll(\"[data-metric]\")].every((d) => d.hidden === (d.dataset.metric !== "
      "\"1\")); })()"};
  const test::PageCheck check = test::check_in_browser(swept.folder().path() / "small/small.html", expectations);
  if (!check.skipped.empty()) GTEST_SKIP() << check.skipped;
  EXPECT_EQ(check.output, "the page works\n");
}

}  // namespace
}  // namespace podsim
