// SPDX-License-Identifier: Apache-2.0
#include "base/trace/timeline.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace podsim::base::trace {
namespace {

nlohmann::json events_of(const Timeline& timeline, const std::string& phase) {
  std::ostringstream out;
  timeline.write_json(out);
  nlohmann::json selected = nlohmann::json::array();
  const nlohmann::json document = nlohmann::json::parse(out.str());
  for (const auto& event : document.at("traceEvents")) {
    if (event.at("ph") == phase) selected.push_back(event);
  }
  return selected;
}

TEST(Timeline, WritesSpansInMicrosecondsToThePicosecond) {
  Timeline timeline;
  auto mxu = timeline.track("chip(0,0) core 0", "MXU 0");
  timeline.span(mxu, "fusion.1", "convolution", Time(1'234'567), Time(3'000'001), {{"flops", "12"}, {"bound", "MXU"}});
  std::ostringstream out;
  timeline.write_json(out);
  EXPECT_NE(out.str().find(R"("ts":1.234567,"name":"fusion.1","dur":1.765434,)"), std::string::npos) << out.str();
  nlohmann::json spans = events_of(timeline, "X");
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0]["name"], "fusion.1");
  EXPECT_EQ(spans[0]["cat"], "convolution");
  EXPECT_EQ(spans[0]["args"], (nlohmann::json{{"flops", "12"}, {"bound", "MXU"}}));
}

TEST(Timeline, GroupsTracksByProcess) {
  Timeline timeline;
  auto first = timeline.track("core 0", "MXU 0");
  auto second = timeline.track("core 0", "DMA");
  auto other = timeline.track("core 1", "MXU 0");
  EXPECT_EQ(timeline.track("core 0", "DMA"), second);
  timeline.span(first, "a", "", Time(0), Time(1));
  timeline.span(second, "b", "", Time(0), Time(1));
  timeline.span(other, "c", "", Time(0), Time(1));
  nlohmann::json spans = events_of(timeline, "X");
  EXPECT_EQ(spans[0]["pid"], spans[1]["pid"]);
  EXPECT_NE(spans[0]["tid"], spans[1]["tid"]);
  EXPECT_NE(spans[0]["pid"], spans[2]["pid"]);

  std::map<std::pair<int, int>, std::string> threads;
  std::map<int, std::string> processes;
  for (const auto& event : events_of(timeline, "M")) {
    if (event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
    if (event["name"] == "thread_name") threads[{event["pid"], event["tid"]}] = event["args"]["name"];
  }
  EXPECT_EQ(processes, (std::map<int, std::string>{{1, "core 0"}, {2, "core 1"}}));
  EXPECT_EQ(threads.size(), 3U);
  EXPECT_EQ((threads[{spans[1]["pid"], spans[1]["tid"]}]), "DMA");
}

TEST(Timeline, OrdersByTimeAndPutsTheEnclosingSpanFirst) {
  Timeline timeline;
  auto track = timeline.track("p", "t");
  timeline.span(track, "late", "", Time(50), Time(60));
  timeline.span(track, "inner", "", Time(10), Time(20));
  timeline.span(track, "outer", "", Time(10), Time(40));
  timeline.span(track, "same 1", "", Time(70), Time(80));
  timeline.span(track, "same 2", "", Time(70), Time(80));
  std::vector<std::string> names;
  for (const auto& event : events_of(timeline, "X")) names.push_back(event["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"outer", "inner", "late", "same 1", "same 2"}));
}

TEST(Timeline, WritesCountersAndAwkwardNames) {
  Timeline timeline;
  EXPECT_TRUE(timeline.empty());
  auto track = timeline.track("p \"q\"", "tab\there");
  timeline.counter(track, "HBM GB/s", Time(5'000'000), 411.8);
  timeline.span(track, "back\\slash\nline", "\u00b5", Time(0), Time(0));
  nlohmann::json counters = events_of(timeline, "C");
  ASSERT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters[0]["args"]["value"], 411.8);
  EXPECT_EQ(counters[0]["ts"], 5.0);
  EXPECT_EQ(events_of(timeline, "X")[0]["name"], "back\\slash\nline");
}

TEST(Timeline, StaysWellFormedAcrossManyBuffers) {
  Timeline timeline;
  auto track = timeline.track("p", "t");
  for (int i = 0; i < 5000; ++i) timeline.span(track, "op", "c", Time(i), Time(i + 1));
  EXPECT_EQ(events_of(timeline, "X").size(), 5000U);
}

TEST(Timeline, WithoutEventsIsStillJson) {
  std::ostringstream out;
  Timeline().write_json(out);
  EXPECT_TRUE(nlohmann::json::parse(out.str()).at("traceEvents").empty());
}

}  // namespace
}  // namespace podsim::base::trace
