// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// Decides which packets cross a switch whose inputs keep a queue for each output: round robin at every output and
/// every input, as in iSLIP (McKeown, "The iSLIP scheduling algorithm for input-queued switches", 1999).
///
///   grant    every free output chooses, among the inputs with something for it, the first at or after its pointer
///   accept   every input chooses, among the outputs that chose it, the first at or after its pointer
///   Rounds repeat until nothing more can be matched. Both pointers move one beyond their choice if it was made in the
///   first round.
///
/// The matching is maximal: no free input and output with something to send stay unmatched. Inputs that always have
/// something for an output take turns.
namespace podsim::noc::chip_switch {

class SwitchArbiter {
 public:
  struct Match {
    int input = 0, output = 0;
    bool operator==(const Match&) const = default;
  };

  /// At most 64 ports.
  explicit SwitchArbiter(int ports);

  /// `wanted[output]` has a bit for every input that has something for it. Only free ports are matched. Returns the
  /// matches in order of matching; valid until the next call.
  const std::vector<Match>& match(const std::vector<std::uint64_t>& wanted, std::uint64_t free_inputs,
                                  std::uint64_t free_outputs);

 private:
  void grant(const std::vector<std::uint64_t>& wanted, std::uint64_t free_inputs, std::uint64_t free_outputs);

  std::vector<int> output_pointers_, input_pointers_;
  std::vector<std::uint64_t> grants_;  ///< by input, a bit for every output that chose it
  std::vector<Match> matches_;
};

}  // namespace podsim::noc::chip_switch
