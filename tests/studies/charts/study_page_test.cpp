// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/study_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "studies/charts/machine_differences.h"
#include "studies/charts/pareto_svg.h"
#include "studies/charts/study_analysis.h"
#include "studies/charts/study_display.h"
#include "studies/charts/study_page_data.h"
#include "studies/charts/study_sections.h"
#include "studies/charts/tornado_svg.h"
#include "studies/shipped/studies.h"
#include "tests/studies/sample_study.h"

namespace podsim::studies::charts {
namespace {

constexpr std::size_t max_bytes = 1'000'000;
constexpr const char* hostile = "</script><script>window.fooled=1</script><img src=x onerror='fooled=1'>\" & 'end";

/// 4 x 2 x 9 x 14 points with four axes.
SampleStudy thousand_points() {
  SampleStudy study = link_study();
  study.axes[2] = numbers("batch_per_core", {8, 16, 24, 32, 48, 64, 96, 128, 256}, 2);
  std::vector<std::pair<std::string, std::optional<double>>> latencies;
  for (int i = 1; i <= 14; ++i) latencies.emplace_back(fmt::format("{} ns", 50 * i), 50e-9 * i);
  study.axes.push_back({"ici.hop_latency", "s", latencies, 3});
  return study;
}

/// The points of a study repeated `times` times, like another axis without effect.
store::StudyResults repeated(store::StudyResults results, std::size_t times) {
  const std::vector<store::ResultPoint> points = results.points;
  for (std::size_t i = points.size(); i < times * points.size(); ++i) {
    store::ResultPoint point = points[i % points.size()];
    point.position = std::int64_t(i);
    point.id = fmt::format("{:016x}", i);
    results.points.push_back(std::move(point));
  }
  return results;
}

/// A command as the page's script puts it together.
std::string command_of(const nlohmann::json& data, std::size_t point) {
  std::string command;
  for (const auto& column : data["commands"]) {
    const int word = column.is_array() ? column[point] : column;
    if (word >= 0) command += (command.empty() ? "" : " ") + data["words"][std::size_t(word)].get<std::string>();
  }
  return command;
}

TEST(StudyPage, OfFiveThousandPointsIsBelowAMegabyteAndHasThemAll) {
  const SampleFile file(thousand_points());
  const store::StudyResults results = repeated(file.results(), 5);
  ASSERT_EQ(results.points.size(), 5040U);
  const std::string page = study_page(results);
  EXPECT_LT(page.size(), max_bytes);
  const auto data = nlohmann::json::parse(study_page_data(results));
  EXPECT_EQ(data["ids"].size(), 5040U);
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    ASSERT_EQ(results.points[i].position, std::int64_t(i)) << "what a page takes it to be where it has no list";
    EXPECT_EQ(command_of(data, i), results.points[i].command);
  }
  EXPECT_TRUE(data["position"].is_null());
}

TEST(StudyPage, HasCommandsOfAnyNumberOfWords) {
  const SampleFile file(link_study());
  store::StudyResults results = file.results();
  results.points[1].command = "podsim run";
  results.points[2].command = "podsim run resnet50 --steps 3 --detail tile --fold off --json";
  results.points.pop_back();
  results.points.back().position = 40;
  const auto data = nlohmann::json::parse(study_page_data(results));
  for (std::size_t i = 0; i < results.points.size(); ++i) EXPECT_EQ(command_of(data, i), results.points[i].command);
  EXPECT_EQ(data["position"].back(), 40);
}

TEST(StudyPage, TakesTextsForTexts) {
  SampleStudy study = link_study();
  study.title = study.question = hostile;
  study.axes.push_back(words("sharding", {hostile, "plain.toml"}, 3));
  study.metrics.front().name = hostile;
  study.report = {};
  const SampleFile file(study);
  const std::string page = study_page(file.results());
  EXPECT_EQ(page.find("<script>window.fooled"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("<h1>&lt;/script&gt;&lt;script&gt;window.fooled=1"), std::string::npos);
}

TEST(StudyPage, OfPointsThatAllFailedSaysWhy) {
  SampleStudy study = link_study();
  study.fails = [](const SamplePlace&) { return true; };
  const SampleFile file(study);
  const std::string page = study_page(file.results());
  EXPECT_NE(page.find("&lt;it&gt; needs 17 GiB &amp; more"), std::string::npos);
  EXPECT_EQ(page.find("id=\"axes-chart\""), std::string::npos);
  EXPECT_NE(page.find("no other point was done that could stand in for it"), std::string::npos);
  EXPECT_EQ(page.find("more failed"), std::string::npos);
}

/// The page lists a limited number of failures; its data has all, with their messages.
TEST(StudyPage, OfThousandsOfFailuresIsBelowAMegabyte) {
  SampleStudy study = link_study();
  study.fails = [](const SamplePlace& at) { return at.at("chips") > 4; };
  const SampleFile file(study);
  store::StudyResults results = repeated(file.results(), 300);
  std::size_t failed = 0;
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    if (results.points[i].done) continue;
    ++failed;
    results.points[i].error = fmt::format("error: batch {0} does not fit: {0}.{1} GB\n   | {0}\n   | ^~~ buffers {2}",
                                          i, i % 10, std::string(400, 'b'));
  }
  ASSERT_EQ(failed, 3600U);
  EXPECT_LT(study_page(results).size(), max_bytes);
  const std::string listed = failures_html(results);
  EXPECT_NE(listed.find("3500 more failed"), std::string::npos);
  const auto errors = nlohmann::json::parse(study_page_data(results))["failed"]["errors"];
  std::size_t next = 0, at = 0;
  for (const store::ResultPoint& point : results.points) {
    if (point.done) continue;
    std::string text;
    for (const char c : errors["forms"][errors["form"][at++].get<std::size_t>()].get<std::string>()) {
      text += c == '\x01' ? std::to_string(errors["numbers"][next++].get<std::int64_t>()) : std::string(1, c);
    }
    EXPECT_EQ(text, point.error);
  }
}

TEST(StudyPage, SaysWhereBuildsOfTheProgramDiffer) {
  const SampleFile file(link_study());
  store::StudyResults results = file.results();
  EXPECT_EQ(sweep_html(results).find("builds of podsim"), std::string::npos);
  results.points[0].build = "1111";
  for (std::size_t i = 1; i < results.points.size(); ++i) results.points[i].build = "2222";
  EXPECT_NE(sweep_html(results).find("2 builds of podsim, whose models may differ: 1 by 1111, 15 by 2222."),
            std::string::npos);
}

TEST(StudyPage, HasACommandThatAShellTakes) {
  const SampleFile file(link_study());
  store::StudyResults results = file.results();
  results.name = "my study";
  EXPECT_NE(sweep_html(results).find("<pre>podsim sweep &#39;my study.toml&#39;</pre>"), std::string::npos)
      << sweep_html(results);
  results.name = shipped::embedded_studies().front().name;
  results.text = shipped::embedded_studies().front().toml;
  EXPECT_NE(sweep_html(results).find("<pre>podsim sweep " + results.name + "</pre>"), std::string::npos);
}

TEST(StudyPage, OfOnePointIsAPage) {
  SampleStudy study = link_study();
  for (SampleAxis& axis : study.axes) axis.values.resize(1);
  study.baseline = 0;
  const SampleFile file(study);
  EXPECT_NE(study_page(file.results()).find("the only point"), std::string::npos);
}

TEST(AnswerText, SaysTheBestPointAndItsGain) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  EXPECT_EQ(answer_text(results, {*results.find("step_time_s"), store::Direction::minimise}),
            "Least step_time_s: 75.76 ms, at the baseline.");
  // 8192 samples in 0.128 + 0.8 / 82 + 0.005 s over 512 in 0.064 + 0.8 / 82 + 0.002 s.
  const double best = 8192 / (0.128 + 0.8 / 82 + 0.005), start = 512 / (0.064 + 0.8 / 82 + 0.002);
  EXPECT_EQ(answer_text(results, {*results.find("samples_per_s"), store::Direction::maximise}),
            fmt::format("Most samples_per_s: {:.0f} /s, {:.3g} times the baseline's {:.4g} /s, at chips 32, "
                        "ici.link_rate 656 Gb/s, batch_per_core 128.",
                        best, best / start, start));
  // 128 / (128 + 9.756 + 2) of the larger batch over 64 / (64 + 9.756 + 2): less than 1.5 times, so in percent.
  const std::string share = answer_text(results, {*results.find("utilization.mxu"), store::Direction::maximise});
  const double gain = (128 / (128 + 0.8e3 / 82 + 2)) / (64 / (64 + 0.8e3 / 82 + 2)) - 1;
  EXPECT_NE(share.find(fmt::format("{:.3g} % more than the baseline's", 100 * gain)), std::string::npos) << share;
}

TEST(MachineDifferences, AreThoseToTheBaseline) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  const std::size_t reference = *reference_point(results);
  const auto all = machine_differences(results, results.points[reference].machine);
  for (const store::ResultPoint& point : results.points) {
    const std::vector<MachineDifference>& list = all.at(point.machine);
    if (point.axes[1].text == "656 Gb/s") {
      EXPECT_TRUE(list.empty());
      continue;
    }
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0].key, "ici.link_rate");
    EXPECT_EQ(list[0].value, "328 Gb/s");
    EXPECT_EQ(list[0].evidence, "user");
    EXPECT_EQ(list[0].reference, "656 Gb/s");
  }
}

// The region that a front dominates has right angles: between two points of the front, the corner is as bad as the
// worse of them in each objective, so no done point lies beyond the line on its better side.
TEST(ParetoSvg, TheFrontIsAStaircase) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  const store::Variable chips = *results.find("chips"), time = *results.find("step_time_s");
  for (const store::Direction along : {store::Direction::minimise, store::Direction::maximise}) {
    const std::vector<store::Objective> objectives{{chips, along}, {time, store::Direction::minimise}};
    const std::vector<std::size_t> front = pareto_front(results, objectives);
    const std::string svg = pareto_svg(results, objectives, front, 860);
    std::smatch path;
    const std::regex curve("<path d=\"([^\"]*)\" class=\"curve line-1\"");
    ASSERT_EQ(std::regex_search(svg, path, curve), front.size() > 1) << svg;
    if (front.size() < 2) continue;
    std::vector<std::pair<double, double>> points;
    const std::string places = path[1];
    const std::regex place("[ML]([-0-9.]+) ([-0-9.]+)");
    for (std::sregex_iterator i(places.begin(), places.end(), place), end; i != end; ++i)
      points.emplace_back(std::stod((*i)[1]), std::stod((*i)[2]));
    ASSERT_EQ(points.size(), 2 * front.size() - 1);
    for (std::size_t i = 1; i < points.size(); ++i) {
      const bool across = points[i].second == points[i - 1].second, up = points[i].first == points[i - 1].first;
      EXPECT_TRUE(across || up) << places;
      // y grows downwards: the corner is the higher of two neighbours in y
      if (i % 2 == 1) {
        EXPECT_EQ(points[i].second, std::min(points[i - 1].second, points[i + 1].second)) << places;
      }
    }
  }
}

TEST(StudyPage, AxesThatMoveTogetherAreCountedOnce) {
  SampleStudy study = link_study();  // 4 x 2 x 2 points
  EXPECT_NE(
      study_page(SampleFile(study).results()).find("16 points: 4 of chips, 2 of ici.link_rate, 2 of batch_per_core"),
      std::string::npos);
  study.axes[1] = {
      "ici.link_rate", "B/s", {{"328 Gb/s", 41e9}, {"656 Gb/s", 82e9}, {"984 Gb/s", 123e9}, {"1312 Gb/s", 164e9}}, 0};
  study.baseline = 0;
  EXPECT_NE(
      study_page(SampleFile(study).results()).find("8 points: 4 of chips with ici.link_rate, 2 of batch_per_core"),
      std::string::npos);
}

TEST(Tornado, BarsAreAsLongAsTheChanges) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  const std::size_t reference = *reference_point(results);
  const std::string svg = tornado_svg(results, sensitivity(results, reference, 0), reference, 0, 860);
  std::map<int, double> widths;
  const std::regex rect("<rect x=\"[^\"]*\" y=\"[^\"]*\" width=\"([^\"]*)\"[^>]*data-point=\"([0-9]*)\"");
  for (std::sregex_iterator i(svg.begin(), svg.end(), rect), end; i != end; ++i)
    widths[std::stoi((*i)[2])] = std::stod((*i)[1]);
  // From the baseline at position 2: 32 chips (14) add 3 ms, the slow link (0) 0.8/41 - 0.8/82 s, the batch (3) 64 ms.
  const double scale = widths.at(3) / 0.064;
  EXPECT_NEAR(widths.at(14), 0.003 * scale, 0.02);
  EXPECT_NEAR(widths.at(0), (0.8 / 41 - 0.8 / 82) * scale, 0.02);
  EXPECT_NE(svg.find("32 (+3.96 %)"), std::string::npos) << "3 of 75.76 ms";
}

TEST(Tornado, NamesAllValuesOfAxesThatMoveTogether) {
  SampleStudy study = link_study();
  study.axes[1] = {
      "ici.link_rate", "B/s", {{"328 Gb/s", 41e9}, {"656 Gb/s", 82e9}, {"984 Gb/s", 123e9}, {"1312 Gb/s", 164e9}}, 0};
  study.baseline = 0;
  study.fails = [](const SamplePlace&) { return false; };
  const SampleFile file(study);
  const store::StudyResults results = file.results();
  const std::string svg = tornado_svg(results, sensitivity(results, 0, 0), 0, 0, 860);
  EXPECT_NE(svg.find("chips, ici.link_rate together"), std::string::npos);
  EXPECT_NE(svg.find(">32, 1312 Gb/s ("), std::string::npos) << svg;
}

TEST(DisplayOf, GivesAColumnOneUnit) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  auto title = [&](const char* name) { return display_of(results, *results.find(name)).title(); };
  EXPECT_EQ(title("step_time_s"), "step_time_s (ms)");
  EXPECT_EQ(title("samples_per_s"), "samples_per_s (/s)");
  EXPECT_EQ(title("utilization.mxu"), "utilization.mxu (%)");
  EXPECT_EQ(title("ici.link_rate"), "ici.link_rate");
  EXPECT_TRUE(display_of(results, *results.find("chips")).logarithmic) << "4 to 32";
  EXPECT_FALSE(display_of(results, *results.find("batch_per_core")).logarithmic) << "64 to 128";
}

TEST(FigureText, HasFourDigitsAndNoExponentWherePeopleRead) {
  EXPECT_EQ(figure_text(0), "0");
  EXPECT_EQ(figure_text(-0.0), "0");
  EXPECT_EQ(figure_text(0.123456), "0.1235");
  EXPECT_EQ(figure_text(123.456), "123.5");
  EXPECT_EQ(figure_text(8623.9), "8624");
  EXPECT_EQ(figure_text(123456), "123456");
}

}  // namespace
}  // namespace podsim::studies::charts
