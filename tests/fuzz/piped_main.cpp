// SPDX-License-Identifier: Apache-2.0
// The main of a fuzz target that is built without libFuzzer: reads inputs from standard input, each as its length (four
// bytes, least significant first) and its bytes, and answers each with a byte when the target has returned.
#include <cstdint>
#include <cstdio>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// libsystemc's main calls it.
extern "C" int sc_main(int, char**);
extern "C" int sc_main(int, char**) {
  std::vector<std::uint8_t> input;
  for (std::uint8_t length[4]; std::fread(length, 1, sizeof length, stdin) == sizeof length;) {
    std::size_t size = 0;
    for (int byte = 3; byte >= 0; --byte) size = size << 8 | length[byte];
    input.resize(size);
    if (std::fread(input.data(), 1, size, stdin) != size) return 1;
    LLVMFuzzerTestOneInput(input.data(), input.size());
    std::fputc(0, stdout);
    std::fflush(stdout);
  }
  return 0;
}
