// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "report/html/compact_text.h"
#include "report/html/csv_table.h"
#include "report/html/heap_chart.h"
#include "report/html/heat_grid.h"

namespace podsim::report::html {
namespace {

/// The texts that a page restores from forms and numbers.
std::vector<std::string> written_out(const CompactTexts& texts) {
  std::vector<std::string> result;
  std::size_t next = 0;
  for (const int form : texts.form_of()) {
    std::string& text = result.emplace_back();
    for (const char c : texts.forms()[std::size_t(form)]) {
      text += c == CompactTexts::hole ? std::to_string(texts.fillings()[next++]) : std::string(1, c);
    }
  }
  EXPECT_EQ(next, texts.fillings().size());
  return result;
}

RC_GTEST_PROP(CompactTexts, ComeBackAsTheyWere, ()) {
  const auto character = rc::gen::elementOf(std::string("%a0019 ,).=[{"));
  const auto texts = *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(character));
  for (const CompactTexts::Numbers numbers : {CompactTexts::Numbers::all, CompactTexts::Numbers::names_only}) {
    CompactTexts compact(numbers);
    for (const std::string& text : texts) compact.add(text);
    RC_ASSERT(written_out(compact) == texts);
  }
}

TEST(CompactTexts, HaveOneFormForOpsThatDifferInNumbers) {
  CompactTexts names(CompactTexts::Numbers::all), hlo(CompactTexts::Numbers::names_only);
  for (int i = 0; i < 100; ++i) {
    names.add("gradients/layer" + std::to_string(i) + "/ffn");
    hlo.add("%fusion." + std::to_string(i) + " = bf16[128,56]{1,0} fusion(bf16[128,56]{1,0} %p." +
            std::to_string(7 * i) + ")");
  }
  EXPECT_EQ(names.forms().size(), 1U);
  EXPECT_EQ(hlo.forms().size(), 1U);
  EXPECT_EQ(hlo.fillings().size(), 200U) << "shapes stay in the form";
}

TEST(HeapChart, ReadsThePlacesOfAnInstruction) {
  const std::vector<HeapPlace> places = heap_places("0+4096@5..7 4096+512@0..3");
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].offset, 0);
  EXPECT_EQ(places[0].bytes, 4096);
  EXPECT_EQ(places[0].first, 5U);
  EXPECT_EQ(places[0].last, 7U);
  EXPECT_EQ(places[1].offset, 4096);
  EXPECT_EQ(places[1].last, 3U);
  for (const char* text :
       {"", "x", "1", "1+", "1+2", "1+2@3", "1+2@3..", "-1+2@3..4", "1+2@4..3", "1+99999999999999999999@3..4"}) {
    EXPECT_TRUE(heap_places(text).empty()) << text;
  }
}

RC_GTEST_PROP(HeapChart, ReadsNoPlaceThatEndsBeforeItBegins, ()) {
  const auto character = rc::gen::elementOf(std::string("0123456789+@. "));
  const auto text = *rc::gen::container<std::string>(character);
  for (const HeapPlace& place : heap_places(text)) RC_ASSERT(place.bytes >= 0 && place.last >= place.first);
}

TEST(HeapChart, DrawsEveryArrayOnceForPhonesAndOnceForDesktops) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "podsim_heap_chart.csv";
  std::ofstream(file) << "position,instruction,op_name,live_bytes,places\n"
                         "0,p,weights,4096,0+4096@0..1\n"
                         "1,a,<b>,6144,4096+2048@1..1\n";
  const std::string html = heap_chart_html(CsvTable(file, {{"places"}}), 6144);
  std::filesystem::remove(file);
  const std::regex array("<rect[^>]* mark\"");
  EXPECT_EQ(std::distance(std::sregex_iterator(html.begin(), html.end(), array), {}), 4);
  EXPECT_NE(html.find("positions 0 to 1"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos) << "names are escaped";
}

HeatGrid grid_of(int columns, int rows, const std::vector<double>& values) {
  HeatGrid grid{.columns = columns, .rows = rows, .values = values, .most = 10};
  grid.tip = [](double low, double high, int cells) {
    return std::to_string(int(low)) + ".." + std::to_string(int(high)) + " of " + std::to_string(cells);
  };
  return grid;
}

TEST(HeatGrid, HasOneMarkForEveryValue) {
  const GridPicture picture = heat_grid(grid_of(3, 2, {0, 5, 5, 10, 5, -1}), 10);
  EXPECT_DOUBLE_EQ(picture.width, 30);
  EXPECT_DOUBLE_EQ(picture.height, 20);
  for (const char* tip : {"0..0 of 1", "5..5 of 3", "10..10 of 1"}) {
    EXPECT_NE(picture.svg.find(tip), std::string::npos) << tip;
  }
  const std::regex mark("<path class=\"heat");
  EXPECT_EQ(std::distance(std::sregex_iterator(picture.svg.begin(), picture.svg.end(), mark), {}), 3)
      << "no mark where there is no value";
}

TEST(HeatGrid, MarksLevelsWhereValuesAreMany) {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(i / 10.0);
  const std::string svg = heat_grid(grid_of(10, 10, values), 5, 20).svg;
  const std::regex mark("<path");
  EXPECT_EQ(std::distance(std::sregex_iterator(svg.begin(), svg.end(), mark), {}), 10);
}

TEST(HeatGrid, MergesRunsOfSmallCells) {
  const GridPicture picture = heat_grid(grid_of(100, 1, std::vector<double>(100, 3)), 2);
  EXPECT_NE(picture.svg.find("d=\"M0 0h200v2h-200z\""), std::string::npos) << picture.svg;
}

class TableFile {
 public:
  explicit TableFile(const std::string& text) { std::ofstream(path_) << text; }
  ~TableFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("csv_table_test_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                                 std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".csv");
};

TEST(CsvTable, ReadsColumnsByName) {
  const TableFile file("b,a\n1.5,\"x,\"\"y\"\"\"\n2,z\n");
  const CsvTable table(file.path(), {{"a"}, {"b", true}});
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text(0, "a"), "x,\"y\"");
  EXPECT_DOUBLE_EQ(table.number(0, "b"), 1.5);
  EXPECT_EQ(table.integer(1, "b"), 2);
  EXPECT_THROW(table.text(0, "c"), base::InputError);
}

TEST(CsvTable, PointsAtWhatIsWrong) {
  const auto said = [](const std::string& text) {
    const TableFile file(text);
    try {
      const CsvTable table(file.path(), {{"a"}, {"b", true}});
    } catch (const base::InputError& error) {
      const base::Diagnostic& diagnostic = error.diagnostics().front();
      return diagnostic.message + " at " + std::to_string(diagnostic.location.line) + ":" +
             std::to_string(diagnostic.location.column);
    }
    return std::string("nothing");
  };
  EXPECT_EQ(said("a,b\nx,1\ny,two\n"), "this is no number at 3:3");
  EXPECT_EQ(said("a,b\nx\n"), "1 fields in a table of 2 columns at 2:1");
  EXPECT_EQ(said("a,c\nx,1\n"), "there is no column 'b' at 1:1");
  EXPECT_NE(said("").find("is empty"), std::string::npos);
  EXPECT_THROW(CsvTable("/nowhere/at/all.csv", {}), base::InputError);
}

}  // namespace
}  // namespace podsim::report::html
