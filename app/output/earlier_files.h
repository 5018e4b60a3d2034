// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace podsim::app::output {

/// Removes what an earlier run wrote to a folder and the next one does not write again: files that the manifest.json
/// there lists and `next` does not have, and every execution trace in chakra/ if it lists that folder. Other files
/// stay, also those under a name of the list that no run writes, waveforms that are not ours, and all where there is no
/// readable manifest.
void remove_earlier_files(const std::filesystem::path& folder, const std::set<std::string>& next);

}  // namespace podsim::app::output
