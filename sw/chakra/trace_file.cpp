// SPDX-License-Identifier: Apache-2.0
#include "sw/chakra/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <system_error>
#include <utility>
#include <variant>

#include "base/diagnostic.h"
#include "base/host/input_file.h"
#include "base/text/json_text.h"
#include "hlo/proto/damage_text.h"

namespace podsim::sw::chakra {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// Field numbers of et_def.proto.
namespace metadata_field {
constexpr int attribute = 2;
}
namespace node_field {
constexpr int id = 1, name = 2, type = 3, control = 4, data = 5, start = 6, duration = 7, inputs = 8, outputs = 9,
              attribute = 10;
}
namespace attribute_field {
constexpr int name = 1, as_double = 3, as_float = 5, as_int32 = 7, as_int64 = 9, as_uint32 = 11, as_uint64 = 13,
              as_sint32 = 15, as_sint64 = 17, as_fixed32 = 19, as_fixed64 = 21, as_sfixed32 = 23, as_sfixed64 = 25,
              as_bool = 27, as_string = 29;
}
constexpr int values_field = 1;  ///< of an IOInfo
constexpr std::string_view groups_file = "comm_group.json";

/// Attributes of nodes.
namespace attribute_name {
constexpr const char* is_cpu_op = "is_cpu_op";
constexpr const char* num_ops = "num_ops";
constexpr const char* tensor_size = "tensor_size";
constexpr const char* comm_type = "comm_type";
constexpr const char* comm_size = "comm_size";
constexpr const char* comm_src = "comm_src";
constexpr const char* comm_dst = "comm_dst";
constexpr const char* comm_tag = "comm_tag";
constexpr const char* pg_name = "pg_name";
constexpr const char* duration_ps = "duration_ps";
constexpr const char* element_type = "element_type";
}  // namespace attribute_name

/// A value of an attribute; std::monostate for lists, which nothing here reads.
using Value = std::variant<std::monostate, std::int64_t, std::string>;

class Attributes {
 public:
  explicit Attributes(protozero::pbf_writer& owner, int field)
      : owner_(owner), field_(protozero::pbf_tag_type(field)) {}
  void text(const char* name, const std::string& value) {
    protozero::pbf_writer attribute(owner_, field_);
    attribute.add_string(attribute_field::name, name);
    attribute.add_string(attribute_field::as_string, value);
  }
  void whole(const char* name, int field, std::int64_t value) {
    protozero::pbf_writer attribute(owner_, field_);
    attribute.add_string(attribute_field::name, name);
    attribute.add_int64(protozero::pbf_tag_type(field), value);
  }
  void whole_if(const char* name, int field, const std::optional<std::int64_t>& value) {
    if (value) whole(name, field, *value);
  }

 private:
  protozero::pbf_writer& owner_;
  protozero::pbf_tag_type field_;
};

std::string length_of(std::size_t bytes) {
  std::string text;
  for (; bytes >= 0x80; bytes >>= 7) text += char(bytes | 0x80);
  return text + char(bytes);
}

void append(std::string& file, const std::string& message) { file += length_of(message.size()) + message; }

void add_values(protozero::pbf_writer& node, int field, const std::vector<std::string>& values) {
  if (values.empty()) return;
  protozero::pbf_writer info(node, protozero::pbf_tag_type(field));
  info.add_string(values_field, base::text::json_text(Json(values)));
}

std::string encode(const Node& from) {
  std::string message;
  protozero::pbf_writer node(message);
  node.add_uint64(node_field::id, from.id);
  node.add_string(node_field::name, from.name);
  node.add_enum(node_field::type, std::int32_t(from.type));
  node.add_packed_uint64(node_field::control, from.control.begin(), from.control.end());
  node.add_packed_uint64(node_field::data, from.data.begin(), from.data.end());
  node.add_uint64(node_field::start, from.start_us);
  node.add_uint64(node_field::duration, from.duration_us);
  add_values(node, node_field::inputs, from.inputs);
  add_values(node, node_field::outputs, from.outputs);
  Attributes attributes(node, node_field::attribute);
  attributes.whole(attribute_name::is_cpu_op, attribute_field::as_bool, 0);
  attributes.whole_if(attribute_name::num_ops, attribute_field::as_int64, from.operations);
  if (from.communicates()) {
    attributes.whole_if(attribute_name::comm_size, attribute_field::as_int64, from.bytes);
  } else {
    attributes.whole_if(attribute_name::tensor_size, attribute_field::as_uint64, from.bytes);
  }
  attributes.whole_if(attribute_name::comm_type, attribute_field::as_int64, from.comm_type);
  attributes.whole_if(attribute_name::comm_src, attribute_field::as_int32, from.source);
  attributes.whole_if(attribute_name::comm_dst, attribute_field::as_int32, from.target);
  attributes.whole_if(attribute_name::comm_tag, attribute_field::as_int32, from.tag);
  if (!from.group.empty()) attributes.text(attribute_name::pg_name, from.group);
  attributes.whole_if(attribute_name::duration_ps, attribute_field::as_int64, from.duration_ps);
  if (!from.element_type.empty()) attributes.text(attribute_name::element_type, from.element_type);
  return message;
}

/// Throws InputError unless the field that is read next is encoded as its type in the schema is.
protozero::pbf_reader& encoded_as(protozero::pbf_wire_type type, protozero::pbf_reader& field) {
  if (field.wire_type() == type) return field;
  throw base::InputError(fmt::format("field {} is encoded as type {}, which the schema's type is not", field.tag(),
                                     int(field.wire_type())));
}
protozero::pbf_reader& as_varint(protozero::pbf_reader& field) {
  return encoded_as(protozero::pbf_wire_type::varint, field);
}
protozero::pbf_reader& as_bytes(protozero::pbf_reader& field) {
  return encoded_as(protozero::pbf_wire_type::length_delimited, field);
}
protozero::pbf_reader& as_fixed32(protozero::pbf_reader& field) {
  return encoded_as(protozero::pbf_wire_type::fixed32, field);
}
protozero::pbf_reader& as_fixed64(protozero::pbf_reader& field) {
  return encoded_as(protozero::pbf_wire_type::fixed64, field);
}

/// The whole part of a number; -1 where 63 bits do not hold it, as for one that is negative.
std::int64_t whole_part(double number) {
  constexpr double most = 9.2e18;
  return number > -1 && number < most ? std::int64_t(number) : -1;
}

/// -1 where 63 bits do not hold it.
std::int64_t whole_number(std::uint64_t number) {
  return number <= std::uint64_t(std::numeric_limits<std::int64_t>::max()) ? std::int64_t(number) : -1;
}

std::pair<std::string, Value> read_attribute(protozero::data_view message) {
  std::pair<std::string, Value> result;
  for (protozero::pbf_reader field(message); field.next();) {
    switch (int(field.tag())) {
      case attribute_field::name:
        result.first = as_bytes(field).get_string();
        break;
      case attribute_field::as_double:
        result.second = whole_part(as_fixed64(field).get_double());
        break;
      case attribute_field::as_float:
        result.second = whole_part(as_fixed32(field).get_float());
        break;
      case attribute_field::as_int32:
      case attribute_field::as_int64:
      case attribute_field::as_bool:
        result.second = as_varint(field).get_int64();
        break;
      case attribute_field::as_uint32:
      case attribute_field::as_uint64:
        result.second = whole_number(as_varint(field).get_uint64());
        break;
      case attribute_field::as_sint32:
      case attribute_field::as_sint64:
        result.second = as_varint(field).get_sint64();
        break;
      case attribute_field::as_fixed32:
        result.second = std::int64_t(as_fixed32(field).get_fixed32());
        break;
      case attribute_field::as_sfixed32:
        result.second = std::int64_t(as_fixed32(field).get_sfixed32());
        break;
      case attribute_field::as_fixed64:
        result.second = whole_number(as_fixed64(field).get_fixed64());
        break;
      case attribute_field::as_sfixed64:
        result.second = as_fixed64(field).get_sfixed64();
        break;
      case attribute_field::as_string:
        result.second = as_bytes(field).get_string();
        break;
      default:
        field.skip();
    }
  }
  return result;
}

/// Names of values, which are a list in JSON; nothing if they are something else.
std::vector<std::string> read_values(protozero::data_view message) {
  std::vector<std::string> names;
  for (protozero::pbf_reader field(message); field.next(values_field, protozero::pbf_wire_type::length_delimited);) {
    const Json list = Json::parse(field.get_string(), nullptr, false);
    if (!list.is_array()) continue;
    for (const Json& value : list) {
      if (value.is_string()) names.push_back(value.get<std::string>());
    }
  }
  return names;
}

void read_ids(protozero::pbf_reader& field, std::vector<std::uint64_t>& ids) {
  if (field.wire_type() == protozero::pbf_wire_type::varint) {
    ids.push_back(field.get_uint64());
    return;
  }
  for (const std::uint64_t id : as_bytes(field).get_packed_uint64()) ids.push_back(id);
}

class NodeAttributes {
 public:
  NodeAttributes(Node& node, RankTrace& trace) : node_(node), trace_(trace) {}

  void take(const std::string& name, const Value& value) {
    if (name == attribute_name::is_cpu_op) return;
    if (const auto* text = std::get_if<std::string>(&value)) {
      if (name == attribute_name::pg_name) return void(node_.group = *text);
      if (name == attribute_name::element_type) return void(node_.element_type = *text);
    }
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      if (name == attribute_name::pg_name) return void(node_.group = std::to_string(*number));
      if (std::optional<std::int64_t>* known = number_called(name)) return void(*known = *number);
    }
    ++trace_.unread[name];
  }

 private:
  std::optional<std::int64_t>* number_called(const std::string& name) {
    if (name == attribute_name::num_ops) return &node_.operations;
    if (name == attribute_name::tensor_size || name == attribute_name::comm_size) return &node_.bytes;
    if (name == attribute_name::comm_type) return &node_.comm_type;
    if (name == attribute_name::comm_src) return &node_.source;
    if (name == attribute_name::comm_dst) return &node_.target;
    if (name == attribute_name::comm_tag) return &node_.tag;
    if (name == attribute_name::duration_ps) return &node_.duration_ps;
    return nullptr;
  }

  Node& node_;
  RankTrace& trace_;
};

Node read_node(protozero::data_view message, RankTrace& trace) {
  Node node;
  NodeAttributes attributes(node, trace);
  for (protozero::pbf_reader field(message); field.next();) {
    switch (int(field.tag())) {
      case node_field::id:
        node.id = as_varint(field).get_uint64();
        break;
      case node_field::name:
        node.name = as_bytes(field).get_string();
        break;
      case node_field::type: {
        const std::int32_t type = as_varint(field).get_enum();
        node.type =
            type <= 0 ? NodeType::invalid : NodeType(std::min<std::int64_t>(type, std::int64_t(NodeType::other)));
        node.schema_type = type;
        break;
      }
      case node_field::control:
        read_ids(field, node.control);
        break;
      case node_field::data:
        read_ids(field, node.data);
        break;
      case node_field::start:
        node.start_us = as_varint(field).get_uint64();
        break;
      case node_field::duration:
        node.duration_us = as_varint(field).get_uint64();
        break;
      case node_field::inputs:
        node.inputs = read_values(as_bytes(field).get_view());
        break;
      case node_field::outputs:
        node.outputs = read_values(as_bytes(field).get_view());
        break;
      case node_field::attribute: {
        const auto [name, value] = read_attribute(as_bytes(field).get_view());
        attributes.take(name, value);
        break;
      }
      default:
        field.skip();
    }
  }
  return node;
}

void read_metadata(protozero::data_view message, RankTrace& trace) {
  for (protozero::pbf_reader field(message); field.next();) {
    if (field.tag() == metadata_field::attribute) {
      const auto [name, value] = read_attribute(as_bytes(field).get_view());
      const auto* number = std::get_if<std::int64_t>(&value);
      const auto* text = std::get_if<std::string>(&value);
      trace.attributes[name] = number != nullptr ? std::to_string(*number) : text != nullptr ? *text : "";
    } else {
      field.skip();
    }
  }
}

/// The rank in NAME.RANK.et; -1 for other names.
std::int32_t rank_of(const std::string& name) {
  if (!name.ends_with(".et")) return -1;
  const std::string stem = name.substr(0, name.size() - 3);
  const std::size_t dot = stem.rfind('.');
  if (dot == std::string::npos) return -1;
  std::int32_t rank = -1;
  const char* end = stem.data() + stem.size();
  const auto [stop, error] = std::from_chars(stem.data() + dot + 1, end, rank);
  return error == std::errc() && stop == end && rank >= 0 ? rank : -1;
}

std::map<std::string, std::vector<std::int32_t>> read_groups(const fs::path& file) {
  const std::string text = base::host::read_input("DIR", file.string());
  const Json json = Json::parse(text, nullptr, false);
  const auto fail = [&](const std::string& what) {
    return base::InputError(fmt::format("'{}' {}", file.string(), what),
                            R"(it is one object such as {"1": [0,1,2,3]})");
  };
  if (!json.is_object()) throw fail("is not an object of process groups");
  std::map<std::string, std::vector<std::int32_t>> groups;
  for (const auto& [name, ranks] : json.items()) {
    if (!ranks.is_array()) throw fail(fmt::format("has no list of ranks for group '{}'", name));
    for (const Json& rank : ranks) {
      const bool fits = rank.is_number_integer() && rank.get<double>() >= 0 &&
                        rank.get<double>() <= double(std::numeric_limits<std::int32_t>::max());
      if (!fits) throw fail(fmt::format("has a rank in group '{}' that is no whole number", name));
      groups[name].push_back(rank.get<std::int32_t>());
    }
  }
  return groups;
}

}  // namespace

std::string encode(const RankTrace& trace) {
  std::string file, message;
  {
    protozero::pbf_writer metadata(message);
    Attributes attributes(metadata, metadata_field::attribute);
    for (const auto& [name, value] : trace.attributes) attributes.text(name.c_str(), value);
  }
  append(file, message);
  for (const Node& node : trace.nodes) append(file, encode(node));
  return file;
}

RankTrace decode(const std::string& file, std::string_view bytes) {
  RankTrace trace;
  std::size_t begin = 0;
  for (bool first = true; begin < bytes.size(); first = false) {
    const char* at = bytes.data() + begin;
    try {
      const std::uint64_t length = protozero::decode_varint(&at, bytes.data() + bytes.size());
      const std::size_t left = std::size_t(bytes.data() + bytes.size() - at);
      if (length > left) throw base::InputError(fmt::format("needs {} bytes, and {} are left", length, left));
      const protozero::data_view message(at, std::size_t(length));
      if (first) {
        read_metadata(message, trace);
      } else {
        trace.nodes.push_back(read_node(message, trace));
      }
      begin = std::size_t(at + length - bytes.data());
    } catch (const std::exception& damage) {
      throw base::InputError(
          fmt::format("'{}' is damaged: the message at byte {}: {}", file, begin, hlo::proto::damage_text(damage)),
          "a trace is a GlobalMetadata and Nodes of Chakra's et_def.proto, each behind its length as a varint");
    }
  }
  if (begin == 0) throw base::InputError(fmt::format("'{}' is empty", file));
  return trace;
}

std::string groups_json(const std::map<std::string, std::vector<std::int32_t>>& groups) {
  std::string text = "{";
  for (const auto& [name, ranks] : groups) {
    text += fmt::format("{}\n  {}: {}", text.size() > 1 ? "," : "", base::text::json_text(Json(name)),
                        base::text::json_text(Json(ranks)));
  }
  return text + "\n}\n";
}

ExecutionTrace read_traces(const fs::path& folder) {
  std::error_code error;
  std::map<std::int32_t, fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::int32_t rank = rank_of(at->path().filename().string());
    if (rank < 0) continue;
    const auto [other, is_new] = files.emplace(rank, at->path());
    if (!is_new) {
      throw base::InputError(fmt::format("rank {} has two traces: '{}' and '{}'", rank,
                                         std::min(other->second, at->path()).string(),
                                         std::max(other->second, at->path()).string()));
    }
  }
  if (error) throw base::InputError(fmt::format("cannot read the folder '{}': {}", folder.string(), error.message()));
  if (files.empty()) {
    throw base::InputError(fmt::format("'{}' has no traces", folder.string()),
                           "files are called NAME.RANK.et, one for each rank from 0");
  }
  ExecutionTrace result;
  for (const auto& [rank, file] : files) {
    if (rank != std::int32_t(result.ranks.size())) {
      throw base::InputError(
          fmt::format("'{}' has {} traces and none of rank {}", folder.string(), files.size(), result.ranks.size()));
    }
    result.ranks.push_back(decode(file.string(), base::host::read_input("DIR", file.string())));
    result.ranks.back().rank = rank;
  }
  if (fs::exists(folder / groups_file, error)) result.groups = read_groups(folder / groups_file);
  return result;
}

}  // namespace podsim::sw::chakra
