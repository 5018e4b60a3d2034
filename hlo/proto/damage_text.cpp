// SPDX-License-Identifier: Apache-2.0
#include "hlo/proto/damage_text.h"

#include <protozero/exception.hpp>

namespace podsim::hlo::proto {

std::string damage_text(const std::exception& error) {
  const auto is = [&]<typename Type>(const Type*) { return dynamic_cast<const Type*>(&error) != nullptr; };
  if (is(static_cast<protozero::varint_too_long_exception*>(nullptr))) return "a varint has more than 10 bytes";
  if (is(static_cast<protozero::unknown_pbf_wire_type_exception*>(nullptr))) {
    return "a field has a wire type that is none of varint, 64 bits, length and 32 bits";
  }
  if (is(static_cast<protozero::end_of_buffer_exception*>(nullptr))) return "it ends within a field";
  if (is(static_cast<protozero::invalid_tag_exception*>(nullptr))) return "a field has a number that no message has";
  if (is(static_cast<protozero::invalid_length_exception*>(nullptr))) {
    return "the length of a list is no multiple of its numbers'";
  }
  return error.what();
}

}  // namespace podsim::hlo::proto
