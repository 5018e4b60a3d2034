// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// Who crosses a switch whose inputs keep a queue for each output: round robin at every output and every input, as
/// iSLIP does (McKeown, "The iSLIP scheduling algorithm for input-queued switches", 1999).
///
///   grant    every free output chooses, of the inputs that have something for it, the first from its pointer on
///   accept   every input chooses, of the outputs that chose it, the first from its pointer on
///   both pointers move one beyond what they chose, if that was in the first of the rounds that are gone through until
///   nothing more can be matched
///
/// No input and output that could be joined stay apart, and among inputs that always want an output it goes round.
namespace podsim::noc {

class SwitchArbiter {
 public:
  struct Match {
    int input = 0, output = 0;
    bool operator==(const Match&) const = default;
  };

  /// At most 64 ports.
  explicit SwitchArbiter(int ports);

  /// `wanted[output]` has a bit for every input that has something for it; only free ports are matched. In the order of
  /// matching; valid until the next call.
  const std::vector<Match>& match(const std::vector<std::uint64_t>& wanted, std::uint64_t free_inputs,
                                  std::uint64_t free_outputs);

 private:
  void grant(const std::vector<std::uint64_t>& wanted, std::uint64_t free_inputs, std::uint64_t free_outputs);

  std::vector<int> output_pointers_, input_pointers_;
  std::vector<std::uint64_t> grants_;  ///< per input, a bit for every output that chose it
  std::vector<Match> matches_;
};

}  // namespace podsim::noc
