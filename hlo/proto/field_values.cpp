// SPDX-License-Identifier: Apache-2.0
#include "hlo/proto/field_values.h"

namespace podsim::hlo::proto {

using protozero::data_view;
using protozero::pbf_reader;
using protozero::pbf_tag_type;
using protozero::pbf_wire_type;

void append_integers(pbf_reader& field, Integers& values) {
  if (field.wire_type() == pbf_wire_type::varint) {
    values.push_back(field.get_int64());
  } else if (field.wire_type() == pbf_wire_type::length_delimited) {
    for (const std::int64_t value : field.get_packed_int64()) values.push_back(value);
  } else {
    field.skip();
  }
}

Integers integers_of(data_view message, pbf_tag_type tag) {
  Integers values;
  for (pbf_reader field(message); field.next(tag);) append_integers(field, values);
  return values;
}

std::int64_t integer_of(data_view message, pbf_tag_type tag, std::int64_t missing) {
  const Integers values = integers_of(message, tag);
  return values.empty() ? missing : values.back();
}

data_view bytes_of(data_view message, pbf_tag_type tag) {
  data_view found("", 0);
  for (pbf_reader field(message); field.next(tag, pbf_wire_type::length_delimited);) found = field.get_view();
  return found;
}

std::vector<data_view> messages_of(data_view message, pbf_tag_type tag) {
  std::vector<data_view> found;
  for (pbf_reader field(message); field.next(tag, pbf_wire_type::length_delimited);) found.push_back(field.get_view());
  return found;
}

}  // namespace podsim::hlo::proto
