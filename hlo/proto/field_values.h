// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <protozero/pbf_reader.hpp>

namespace podsim::hlo::proto {

using Integers = std::vector<std::int64_t>;

/// Appends a repeated integer, which is packed or not; a negative one has ten bytes. The reader is at the field.
void append_integers(protozero::pbf_reader& field, Integers& values);

/// The integers of one field of a message.
Integers integers_of(protozero::data_view message, protozero::pbf_tag_type tag);

/// An integer, bool or enum of a message; `missing` if the message has none.
std::int64_t integer_of(protozero::data_view message, protozero::pbf_tag_type tag, std::int64_t missing = 0);

/// The bytes of a string or message field; empty if the message has none.
protozero::data_view bytes_of(protozero::data_view message, protozero::pbf_tag_type tag);

/// All messages of a repeated field.
std::vector<protozero::data_view> messages_of(protozero::data_view message, protozero::pbf_tag_type tag);

}  // namespace podsim::hlo::proto
