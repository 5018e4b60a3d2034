// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/trace_profile.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "validation/profile/trace_events.h"

namespace podsim::validation::profile {
namespace {

using protozero::pbf_writer;

std::string message(const std::function<void(pbf_writer&)>& write) {
  std::string bytes;
  pbf_writer writer(bytes);
  write(writer);
  return bytes;
}

const std::vector<std::string> stat_names = {"hlo_category",
                                             "flops",
                                             "bytes_accessed",
                                             "program_id",
                                             "tf_op",
                                             "hlo_op",
                                             "device_offset_ps",
                                             "device_duration_ps",
                                             "self_duration_ps",
                                             "Hlo Proto",
                                             "long_name",
                                             "loop fusion"};

std::uint64_t stat_id(const std::string& name) {
  return std::uint64_t(std::ranges::find(stat_names, name) - stat_names.begin()) + 1;
}

// Stats by the field numbers of XStat: 4 int64, 5 string, 6 bytes, 7 a reference to a name.
std::string whole(const std::string& name, std::int64_t value) {
  return message([&](pbf_writer& w) {
    w.add_uint64(1, stat_id(name));
    w.add_int64(4, value);
  });
}
std::string text(const std::string& name, const std::string& value, int field = 5) {
  return message([&](pbf_writer& w) {
    w.add_uint64(1, stat_id(name));
    w.add_bytes(protozero::pbf_tag_type(field), value);
  });
}
std::string reference(const std::string& name, const std::string& value) {
  return message([&](pbf_writer& w) {
    w.add_uint64(1, stat_id(name));
    w.add_uint64(7, stat_id(value));
  });
}

std::string event(std::int64_t kind, std::int64_t begin_ps, std::int64_t duration_ps,
                  const std::vector<std::string>& stats = {}) {
  return message([&](pbf_writer& w) {
    w.add_int64(1, kind);
    w.add_int64(2, begin_ps);
    w.add_int64(3, duration_ps);
    for (const std::string& stat : stats) w.add_message(4, stat);
  });
}

std::string sum_of(std::int64_t kind, std::int64_t occurrences, std::int64_t duration_ps) {
  return message([&](pbf_writer& w) {
    w.add_int64(1, kind);
    w.add_int64(5, occurrences);
    w.add_int64(3, duration_ps);
  });
}

std::string line(const std::string& name, const std::vector<std::string>& events) {
  return message([&](pbf_writer& w) {
    w.add_string(2, name);
    for (const std::string& made : events) w.add_message(4, made);
  });
}

std::string kind(const std::string& name, const std::vector<std::string>& stats) {
  return message([&](pbf_writer& w) {
    w.add_string(2, name);
    for (const std::string& stat : stats) w.add_message(5, stat);
  });
}

/// An XSpace with one more plane.
std::string with_plane(std::string space, const std::string& name, const std::vector<std::string>& lines,
                       const std::map<std::int64_t, std::string>& kinds) {
  const auto entry = [](std::int64_t key, const std::string& value) {
    return message([&](pbf_writer& w) {
      w.add_int64(1, key);
      w.add_message(2, value);
    });
  };
  pbf_writer(space).add_message(1, message([&](pbf_writer& plane) {
                                  plane.add_string(2, name);
                                  for (const std::string& made : lines) plane.add_message(3, made);
                                  for (const auto& [id, made] : kinds) plane.add_message(4, entry(id, made));
                                  for (std::size_t i = 0; i < stat_names.size(); ++i) {
                                    const std::string named =
                                        message([&](pbf_writer& stat) { stat.add_string(2, stat_names[i]); });
                                    plane.add_message(5, entry(std::int64_t(i) + 1, named));
                                  }
                                }));
  return space;
}

constexpr const char* add_text = "%fusion.1 = f32[8,128]{1,0} fusion(f32[8,128]{1,0} %x), kind=kLoop, calls=%f";
constexpr const char* loop_text = "%while.2 = (f32[8,128]{1,0}) while((f32[8,128]{1,0}) %t), condition=%c, body=%b";

/// Two cores. On each a loop of 70 us runs two trips of 30 and 34 us, and the op of a trip runs once more alone.
std::string tpu_trace() {
  const std::vector<std::string> lines = {
      line("XLA Modules", {event(9, 0, 100'000'000)}),
      line("XLA Ops", {event(2, 0, 70'000'000), event(1, 1'000'000, 30'000'000), event(1, 32'000'000, 34'000'000),
                       event(1, 80'000'000, 16'000'000)}),
      line("Async XLA Ops", {event(1, 0, 5'000'000)})};
  const std::map<std::int64_t, std::string> kinds = {
      {1, kind(add_text, {reference("hlo_category", "loop fusion"), whole("flops", 1024), whole("bytes_accessed", 8192),
                          text("tf_op", "step/add:"), whole("program_id", 7)})},
      {2, kind(loop_text, {text("hlo_category", "while"), whole("program_id", 7)})},
      {9, kind("step", {})}};
  return with_plane(with_plane("", "/device:TPU:0", lines, kinds), "/device:TPU:1", lines, kinds);
}

void expect_refused(const std::string& bytes, const std::string& what) {
  try {
    trace_profile("t.pb", bytes);
    ADD_FAILURE() << "not refused: " << what;
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  }
}

TEST(TraceProfile, SumsUpTheOpsOfAllCoresByTheirSelfTime) {
  const Profile profile = read_profile("t.pb", tpu_trace());
  EXPECT_EQ(profile.measured_on, (std::vector<std::string>{"/device:TPU:0", "/device:TPU:1"}));
  ASSERT_EQ(profile.ops.size(), 2u);
  const ProfileOp &add = profile.ops[0], &loop = profile.ops[1];
  EXPECT_EQ(add.hlo_text, add_text);
  EXPECT_EQ(add.category, "loop fusion");
  EXPECT_EQ(add.tf_op, "step/add:");
  EXPECT_EQ(add.occurrences, 6);
  EXPECT_DOUBLE_EQ(add.total_self_time_s, 2 * (30e-6 + 34e-6 + 16e-6));
  EXPECT_DOUBLE_EQ(add.self_time_s, add.total_self_time_s / 6);
  EXPECT_EQ(add.flops, 1024);
  EXPECT_EQ(add.bytes, 8192);
  EXPECT_EQ(loop.category, "while");
  EXPECT_EQ(loop.occurrences, 2);
  EXPECT_DOUBLE_EQ(loop.total_self_time_s, 2 * (70e-6 - 30e-6 - 34e-6));
  EXPECT_EQ(loop.flops, std::nullopt);
}

// XProf takes the times of the device's clock where an event has them.
TEST(TraceProfile, TheClockOfTheDeviceCounts) {
  const std::string space = with_plane(
      "", "/device:TPU:0",
      {line("XLA Ops", {event(1, 500, 900, {whole("device_offset_ps", 100), whole("device_duration_ps", 2'000'000)})})},
      {{1, kind(add_text, {})}});
  const Profile profile = trace_profile("t.pb", space);
  EXPECT_DOUBLE_EQ(profile.ops.at(0).self_time_s, 2e-6);
  EXPECT_EQ(profile.ops.at(0).category, "loop fusion");  // from the text's kind=kLoop
}

TEST(TraceProfile, AnEventMayBeTheSumOfMany) {
  const std::string space =
      with_plane("", "/device:TPU:0", {line("XLA Ops", {sum_of(1, 50, 100'000'000)})}, {{1, kind(add_text, {})}});
  const Profile profile = trace_profile("t.pb", space);
  EXPECT_EQ(profile.ops.at(0).occurrences, 50);
  EXPECT_DOUBLE_EQ(profile.ops.at(0).self_time_s, 2e-6);
}

/// HloProto of copy(parameter) on f32[8,128], by the field numbers of hlo.proto.
std::string copy_module() {
  const std::string shape = message([](pbf_writer& w) {
    w.add_enum(2, 11);
    w.add_int64(3, 8);
    w.add_int64(3, 128);
    w.add_message(5, message([](pbf_writer& layout) {
                    layout.add_int64(1, 1);
                    layout.add_int64(1, 0);
                  }));
  });
  const auto instruction = [&](int id, const std::string& name, const std::string& opcode, int operand) {
    return message([&](pbf_writer& w) {
      w.add_string(1, name);
      w.add_string(2, opcode);
      w.add_message(3, shape);
      w.add_int64(35, id);
      if (operand > 0) w.add_int64(36, operand);
    });
  };
  const std::string entry = message([&](pbf_writer& w) {
    w.add_string(1, "main");
    w.add_message(2, instruction(1, "x", "parameter", 0));
    w.add_message(2, instruction(2, "copy.5", "copy", 1));
    w.add_int64(5, 3);
    w.add_int64(6, 2);
  });
  const std::string module = message([&](pbf_writer& w) {
    w.add_string(1, "step");
    w.add_message(3, entry);
    w.add_int64(6, 3);
  });
  return message([&](pbf_writer& w) { w.add_message(1, module); });
}

// So are traces of a CPU and of a GPU.
TEST(TraceProfile, OpsThatEventsNameHaveTheTextOfTheirModule) {
  const std::string modules = with_plane(
      "", "/host:metadata", {}, {{4, kind("step(6)", {text("Hlo Proto", copy_module(), 6), whole("program_id", 6)})}});
  const std::string space =
      with_plane(modules, "/host:CPU",
                 {line("thread", {event(1, 0, 9'000'000),
                                  event(2, 1'000'000, 4'000'000, {text("hlo_op", "copy.5"), whole("program_id", 6)}),
                                  event(3, 6'000'000, 2'000'000, {text("hlo_op", "sort.1"), whole("program_id", 6)})})},
                 {{1, kind("Execute", {})}, {2, kind("copy.5", {})}, {3, kind("sort.1", {})}});
  const Profile profile = trace_profile("t.pb", space);
  ASSERT_EQ(profile.ops.size(), 2u);
  EXPECT_EQ(profile.ops[0].hlo_text, "%copy.5 = f32[8,128]{1,0} copy(f32[8,128]{1,0} %x)");
  EXPECT_EQ(profile.ops[0].category, "copy");
  EXPECT_DOUBLE_EQ(profile.ops[0].self_time_s, 4e-6);
  EXPECT_EQ(profile.ops[1].hlo_text, "sort.1");  // the module does not have it
}

TEST(TraceProfile, WhatIsDamagedIsRefusedWithItsPlace) {
  const std::map<std::int64_t, std::string> kinds = {{1, kind(add_text, {})}};
  const auto trace = [&](const std::string& made) {
    return with_plane("", "/device:TPU:0", {line("XLA Ops", {made})}, kinds);
  };
  const std::string good = trace(event(1, 0, 5));
  trace_profile("t.pb", good);
  // The event is 6 bytes long: three fields of a tag and a value each.
  const std::string at = fmt::format("the message at byte {}: ", good.find(event(1, 0, 5)));
  expect_refused(trace(event(8, 0, 5)), at + "there is no kind 8 of events in its plane");
  expect_refused(trace(event(1, 0, -5)), at + "its duration is no number from zero");
  expect_refused(trace(event(1, std::int64_t(1) << 61, 5)), at + "its offset is over twelve days");
  expect_refused(trace(sum_of(1, -1, 5)), at + "-1 occurrences are not from 0");
  std::string cut = good;
  cut[good.find(event(1, 0, 5)) + 5] = char(0x80);  // the last number goes on
  expect_refused(cut, at + "it ends within a field");
  expect_refused(good.substr(0, good.size() - 1), "the message at byte 0: it ends within a field");
  expect_refused(with_plane("", "/host:CPU", {line("thread", {event(1, 0, 5)})}, kinds), "has no op");
}

TEST(TraceProfile, TablesAreNotTakenForTraces) {
  EXPECT_TRUE(is_trace(tpu_trace()));
  EXPECT_FALSE(is_trace("Category,HLO op\n"));
  EXPECT_FALSE(is_trace("\n\r\n\tCategory,HLO op\n"));
}

RC_GTEST_PROP(TraceProfile, RefusesOrReadsAnyBytes, (const std::string& bytes)) {
  try {
    trace_profile("t.pb", bytes);
  } catch (const base::InputError&) {
  }
}

RC_GTEST_PROP(TraceProfile, RefusesOrReadsAnyDamage, ()) {
  std::string bytes = tpu_trace();
  for (int changes = *rc::gen::inRange(1, 6); changes > 0; --changes) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  }
  try {
    for (const ProfileOp& op : trace_profile("t.pb", bytes).ops) {
      RC_ASSERT(op.occurrences >= 0);
      RC_ASSERT(op.total_self_time_s >= 0);
    }
  } catch (const base::InputError&) {
  }
}

}  // namespace
}  // namespace podsim::validation::profile
