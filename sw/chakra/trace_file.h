// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sw/chakra/execution_trace.h"

/// Files of execution traces: NAME.RANK.et has the messages of one rank, each behind its length as a varint, a
/// GlobalMetadata and then Nodes. comm_group.json in the same folder has the ranks of each process group.
namespace podsim::sw::chakra {

/// The contents of NAME.RANK.et.
std::string encode(const RankTrace& trace);
/// InputError, with the byte at which the damage begins, if these are not the messages of a trace. `file` is for
/// messages.
RankTrace decode(const std::string& file, std::string_view bytes);

/// The contents of comm_group.json.
std::string groups_json(const std::map<std::string, std::vector<std::int32_t>>& groups);

/// Reads a folder. Where comm_group.json is missing, all collectives are those of all ranks. InputError if a file
/// cannot be read, a rank is missing or occurs twice, or the folder has no trace.
ExecutionTrace read_traces(const std::filesystem::path& folder);

}  // namespace podsim::sw::chakra
