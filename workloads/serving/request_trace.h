// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/serving/request.h"

namespace podsim::workloads::serving {

/// Requests of a file, in the order of their arrivals, the first at 0. Two forms, told by the first character:
///
///   CSV    with the columns arrival_s (seconds, or a date and time), input, output, and perhaps priority; or those of
///          Azure's traces, TIMESTAMP, ContextTokens, GeneratedTokens
///   JSONL  an object a line as in Mooncake's traces: timestamp (milliseconds), input_length, output_length, and
///   perhaps
///          hash_ids, the names of the prompt's blocks of 512 tokens, and priority
///
/// InputError at the line of a field that is missing or out of range, and for a file without requests. An answer of no
/// tokens counts as one token.
std::vector<Request> read_requests(const std::string& file, std::string_view text);

}  // namespace podsim::workloads::serving
