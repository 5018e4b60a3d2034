// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/trace_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "tests/sw/chakra/sample_trace.h"

namespace podsim::sw::chakra {
namespace {

using namespace std::string_literals;

/// Bytes behind their length, which is below 128.
std::string behind_length(const std::string& message) { return char(message.size()) + message; }
/// Key, length and bytes of a field.
std::string field(const std::string& key, const std::string& bytes) { return key + behind_length(bytes); }

/// Written by hand after the encoding of protocol buffers: a key is (field << 3 | wire type), wire type 0 a varint, 2 a
/// length and bytes.
TEST(TraceFile, ReadsWhatTheSchemaSays) {
  const std::string version = field("\x0a", "0.0.4");  // GlobalMetadata.version = 1
  // GlobalMetadata.attr = 2: name = 1, string_val = 29
  const std::string slice = field("\x12", field("\x0a", "slice") + field("\xea\x01", "2x1"));
  const std::string node =
      "\x08\x07"s +                                                        // id = 1: 7
      field("\x12", "ar") +                                                // name = 2
      "\x18\x07" +                                                         // type = 3: COMM_COLL_NODE
      field("\x22", "\x03\x05") +                                          // ctrl_deps = 4, packed: 3, 5
      "\x28\x04" +                                                         // data_deps = 5, not packed: 4
      "\x30\x96\x01" +                                                     // start_time_micros = 6: 150
      "\x38\x02" +                                                         // duration_micros = 7: 2
      field("\x42", field("\x0a", "[\"a\"]")) +                            // inputs = 8: values = 1
      field("\x52", field("\x0a", "comm_type") + "\x48\x07") +             // attr = 10: int64_val = 9
      field("\x52", field("\x0a", "comm_size") + "\x68\x80\x10") +         // uint64_val = 13: 2048
      field("\x52", field("\x0a", "pg_name") + field("\xea\x01", "12")) +  // string_val = 29
      field("\x52", field("\x0a", "comm_priority") + "\x38\x01");          // int32_val = 7; nothing reads it
  const RankTrace trace = decode("t.0.et", behind_length(version + slice) + behind_length(node));
  EXPECT_EQ(trace.attributes.at("slice"), "2x1");
  ASSERT_EQ(trace.nodes.size(), 1U);
  const Node& read = trace.nodes[0];
  EXPECT_EQ(read.id, 7U);
  EXPECT_EQ(read.name, "ar");
  EXPECT_EQ(read.type, NodeType::collective);
  EXPECT_EQ(read.control, (std::vector<std::uint64_t>{3, 5}));
  EXPECT_EQ(read.data, (std::vector<std::uint64_t>{4}));
  EXPECT_EQ(read.start_us, 150U);
  EXPECT_EQ(read.duration_us, 2U);
  EXPECT_EQ(read.inputs, (std::vector<std::string>{"a"}));
  EXPECT_EQ(read.comm_type, 7);
  EXPECT_EQ(read.bytes, 2048);
  EXPECT_EQ(read.group, "12");
  EXPECT_EQ(trace.unread.at("comm_priority"), 1);
}

std::string any_text() { return *rc::gen::container<std::string>(rc::gen::inRange('a', 'z')); }

Node any_node(std::uint64_t id) {
  Node node;
  node.id = id;
  node.name = any_text();
  node.type = NodeType(*rc::gen::inRange(1, int(node_types)));
  node.control = *rc::gen::arbitrary<std::vector<std::uint64_t>>();
  node.data = *rc::gen::arbitrary<std::vector<std::uint64_t>>();
  node.start_us = *rc::gen::arbitrary<std::uint64_t>();
  node.duration_us = *rc::gen::arbitrary<std::uint32_t>();
  node.inputs = {any_text(), any_text()};
  node.duration_ps = *rc::gen::inRange<std::int64_t>(0, std::int64_t(1) << 50);
  node.bytes = *rc::gen::inRange<std::int64_t>(0, std::int64_t(1) << 50);
  node.comm_type = *rc::gen::inRange<std::int64_t>(0, comm_types);
  node.source = *rc::gen::inRange<std::int64_t>(0, 10'000);
  node.group = any_text();
  return node;
}

RC_GTEST_PROP(TraceFile, ReadsWhatItWrites, ()) {
  RankTrace trace;
  trace.attributes["slice"] = any_text();
  for (std::uint64_t id = 0; id < 3; ++id) trace.nodes.push_back(any_node(id));
  const RankTrace read = decode("t.0.et", encode(trace));
  RC_ASSERT(read.attributes == trace.attributes);
  RC_ASSERT(read.nodes.size() == trace.nodes.size());
  RC_ASSERT(read.unread.empty());
  for (std::size_t i = 0; i < read.nodes.size(); ++i) {
    const Node &a = read.nodes[i], &b = trace.nodes[i];
    RC_ASSERT(a.id == b.id && a.name == b.name && a.type == b.type && a.control == b.control && a.data == b.data);
    RC_ASSERT(a.start_us == b.start_us && a.duration_us == b.duration_us && a.duration_ps == b.duration_ps);
    RC_ASSERT(a.inputs == b.inputs && a.bytes == b.bytes && a.comm_type == b.comm_type);
    RC_ASSERT(a.source == b.source && a.group == b.group);
  }
}

/// A truncated message is damaged, wherever it ends.
TEST(TraceFile, NamesTheByteOfTheDamage) {
  RankTrace trace;
  trace.nodes = {testing::compute(0, "forward", {}, 1)};
  const std::string whole = encode(trace);
  const std::size_t first = 1 + std::size_t(whole[0]);  // an empty GlobalMetadata
  for (std::size_t end = first + 1; end < whole.size(); ++end) {
    try {
      decode("t.0.et", whole.substr(0, end));
      ADD_FAILURE() << "cut at " << end;
    } catch (const base::InputError& error) {
      const std::string place = "byte " + std::to_string(first) + ":";
      EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
    }
  }
}

/// An attribute called num_ops with its value in a field of the given key.
std::optional<std::int64_t> number_read(const std::string& key_and_value) {
  const std::string node = field("\x52", field("\x0a", "num_ops") + key_and_value);
  return decode("t.0.et", std::string(1, '\0') + behind_length(node)).nodes.at(0).operations;
}

/// Keys are field << 3 | wire type: uint64_val = 13, fixed32_val = 19, fixed64_val = 21, sfixed32_val = 23, sint64_val
/// = 17, double_val = 3. Values are 2^32 - 1, -1 or beyond 2^63 as each type has them; -1 stands for what is not held.
TEST(TraceFile, ReadsNumbersOfEveryTypeWithoutOverflow) {
  const std::string ones4(4, '\xff'), ones8(8, '\xff'), varint_2_64 = std::string(9, '\xff') + "\x01";
  EXPECT_EQ(number_read("\x68" + varint_2_64), -1);
  EXPECT_EQ(number_read("\x9d\x01" + ones4), 4'294'967'295);
  EXPECT_EQ(number_read("\xa9\x01" + ones8), -1);
  EXPECT_EQ(number_read("\xbd\x01" + ones4), -1);
  EXPECT_EQ(number_read("\x88\x01\x01"), -1);                              // zigzag: 1 is -1
  EXPECT_EQ(number_read(std::string("\x19\0\0\0\0\0\0\x24\x40", 9)), 10);  // 10.0
  EXPECT_EQ(number_read(std::string("\x19\0\0\0\0\0\0\xf0\x7f", 9)), -1);  // infinity
}

/// Node.type = 3: 8 and larger are types of later schemas, which keep their number; negative ones are none.
TEST(TraceFile, KeepsTypesOfLaterSchemas) {
  const auto read = [](const std::string& type) {
    return decode("t.0.et", std::string(1, '\0') + behind_length("\x18" + type)).nodes.at(0);
  };
  EXPECT_EQ(read("\x08").type, NodeType::other);
  EXPECT_EQ(read("\x0a").type, NodeType::other);
  EXPECT_EQ(read("\x0a").schema_type, 10);
  EXPECT_EQ(read(std::string(9, '\xff') + "\x01").type, NodeType::invalid);
}

/// A name that is no UTF-8 is written as one that is: U+FFFD stands for its byte.
TEST(TraceFile, WritesNamesThatAreNotUtf8) {
  RankTrace trace;
  trace.nodes = {testing::compute(0, "a\xff", {}, 1)};
  EXPECT_EQ(decode("t.0.et", encode(trace)).nodes.at(0).outputs, (std::vector<std::string>{"a\ufffd"}));
  EXPECT_NE(groups_json({{"\xff", {0}}}).find("\ufffd"), std::string::npos);
}

/// Field 2 of a node, its name, as a varint; an attribute whose double is no whole number.
TEST(TraceFile, RefusesFieldsOfAnotherType) {
  const std::string no_metadata(1, '\0');
  try {
    decode("t.0.et", no_metadata + std::string("\x02\x10\x01"));
    ADD_FAILURE();
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("field 2 is encoded as type 0"), std::string::npos) << error.what();
  }
  const std::string infinite = std::string("\x19\0\0\0\0\0\0\xf0\x7f", 9);  // field 3, fixed64
  const std::string node = std::string("\x52\x09") + infinite;              // field 10, nine bytes
  EXPECT_NO_THROW(decode("t.0.et", no_metadata + std::string(1, char(node.size())) + node));
}

RC_GTEST_PROP(TraceFile, RefusesOrReadsAnyBytes, (const std::string& bytes)) {
  try {
    decode("t.0.et", bytes);
  } catch (const base::InputError&) {
  }
}

}  // namespace
}  // namespace podsim::sw::chakra
