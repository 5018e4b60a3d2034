// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_page.h"
#include "base/text/percent.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>

#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/si_text.h"
#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

constexpr std::string_view hostile = "</script><script>alert(\"'&\")</script>";

TEST(HtmlText, LeavesNothingThatHtmlReads) {
  EXPECT_EQ(html_escaped("a < b && \"c\" > 'd'"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(html_escaped("µ → ok"), "µ → ok");
  EXPECT_EQ(html_escaped(std::string_view("\xff\x01\0z", 4)), "\uFFFD\uFFFD\uFFFDz");
  EXPECT_EQ(html_escaped(hostile).find('<'), std::string::npos);
}

TEST(HtmlText, JsonStaysTheSameJsonAndCannotEndItsElement) {
  const nlohmann::json value = {{"name", std::string(hostile)}, {"comment", "<!-- <script>"}};
  const std::string text = script_json(value.dump());
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text), value);
}

TEST(SiText, HasAPrefixAndFewDigits) {
  EXPECT_EQ(si_text(0.119002547872, "s"), "119 ms");
  EXPECT_EQ(si_text(0.119002547872, "s", 6), "119.003 ms");
  EXPECT_EQ(si_text(4773995530, "B"), "4.774 GB");
  EXPECT_EQ(si_text(0, "B"), "0 B");
  EXPECT_EQ(si_text(-2500, ""), "-2.5 k");
  EXPECT_EQ(si_text(999.96, "B", 4), "1 kB");
  EXPECT_EQ(si_text(1234, "B", 2), "1.2 kB");
  EXPECT_EQ(si_text(123, "B", 2), "123 B");
  EXPECT_EQ(si_text(1.05e14, "FLOP/s"), "105 TFLOP/s");
  EXPECT_EQ(si_text(3e-15, "s"), "3e-15 s");
  EXPECT_EQ(base::text::percent(0.4096), "41.0 %");
  EXPECT_EQ(count_text(16384), "16\u202F384");
  EXPECT_EQ(count_text(-123), "-123");
  EXPECT_EQ(count_text(1234567), "1\u202F234\u202F567");
}

HtmlPage page_of(std::string_view text) {
  HtmlPage page;
  page.title = page.kicker = page.subtitle = page.footer = text;
  page.sections = {{"one", std::string(text), "<p>body</p>"}, {"none", "left out", ""}};
  page.data = {{"numbers", nlohmann::json(std::string(text)).dump()}};
  return page;
}

TEST(HtmlPage, ForbidsItselfToAskForAnything) {
  const std::string html = html_page(page_of("a"));
  EXPECT_NE(html.find("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"),
            std::string::npos);
  EXPECT_FALSE(std::regex_search(html, std::regex("(src|href)=\"(?!#|data:)")));
  EXPECT_EQ(html.find("@import"), std::string::npos);
  EXPECT_EQ(html.find("url("), std::string::npos);
}

TEST(HtmlPage, EscapesEveryPlainText) {
  const std::string html = html_page(page_of(hostile));
  const std::string tame = html_page(page_of("a"));
  const auto count = [](const std::string& text, const std::string& word) {
    std::size_t times = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++times;
    return times;
  };
  EXPECT_EQ(count(html, "<script"), count(tame, "<script"));
  EXPECT_EQ(count(html, "</script"), count(tame, "</script"));
}

TEST(HtmlPage, LeavesOutSectionsWithoutABody) {
  const std::string html = html_page(page_of("a"));
  EXPECT_NE(html.find("href=\"#one\""), std::string::npos);
  EXPECT_EQ(html.find("left out"), std::string::npos);
}

TEST(HtmlPage, KnowsItsAssetsByName) {
  EXPECT_NE(report_asset("report.css").find("prefers-color-scheme: dark"), std::string_view::npos);
  EXPECT_THROW(report_asset("report.txt"), std::out_of_range);
  for (const char* name : {"report.css", "report.js"}) {
    EXPECT_EQ(report_asset(name).find("</"), std::string_view::npos) << name << " could end its element";
    EXPECT_EQ(report_asset(name).find("<!--"), std::string_view::npos) << name;
  }
}

TEST(HtmlTable, KeepsValuesBesideWhatIsShown) {
  HtmlTable table;
  table.id = "t";
  table.columns = {{"name"}, {"time", true}};
  table.rows = {{text_cell(hostile), number_cell(0.25, "250 ms")}};
  table.filter_label = "Find";
  const std::string html = html_table(table);
  EXPECT_NE(html.find("data-value=\"0.25\"><data value=\"0.25\">250 ms</data>"), std::string::npos) << html;
  EXPECT_NE(html.find("data-filters=\"t\""), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
}

TEST(SvgChart, WritesNumbersShort) {
  EXPECT_EQ(svg_number(3), "3");
  EXPECT_EQ(svg_number(2.504), "2.5");
  EXPECT_EQ(svg_number(-0.001), "0");
}

TEST(SvgChart, HeatIsNothingOnlyForNothing) {
  EXPECT_EQ(heat_class(0), "heat-0");
  EXPECT_EQ(heat_class(1e-6), "heat-1");
  EXPECT_EQ(heat_class(1), "heat-9");
  EXPECT_EQ(heat_class(7), "heat-9");
}

TEST(SvgChart, LeavesOutLabelsThatWouldTouch) {
  const PlotArea area{0, 0, 60, 10};
  const ChartAxis axis{"x", ChartScale::linear(0, 10, 0, 60), [](double) { return std::string("a long label"); }, 10};
  const std::string svg = svg_x_axis(area, axis);
  std::size_t labels = 0;
  for (std::size_t at = svg.find("a long label"); at != std::string::npos; at = svg.find("a long label", at + 1))
    ++labels;
  EXPECT_EQ(labels, 1U);
}

}  // namespace
}  // namespace podsim::report::html
