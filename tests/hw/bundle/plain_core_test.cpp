// SPDX-License-Identifier: Apache-2.0
#include "tests/hw/bundle/plain_core.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/hw/bundle/pasm.h"
#include "tests/hw/recording_sink.h"

namespace podsim::hw::bundle {
namespace {

/// Programs of the operations that PlainCore models: loops, a branch, DMA on every route, waits that may never end, and
/// mistakes of every kind at distances around the latencies.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed) {}

  std::string text() {
    std::string text = "{ s.mov s1, 8 ; s.mov s2, 16 }\n";
    for (int loop = 0; loop < 3; ++loop) {
      text += fmt::format("s.mov s{}, {}\nloop{}:\n", 5 + loop, 1 + below(3), loop);
      for (int i = below(8); i >= 0; --i) text += bundle() + gap();
      if (below(4) == 0) text += "@p1 s.branch finish\n";
      text += fmt::format("s.loop s{0}, loop{1}\n", 5 + loop, loop);
    }
    // Long enough for most DMAs to end.
    return text + "finish: s.mov s9, 60\nspin: s.loop s9, spin\nhalt\n" + data();
  }

 private:
  int below(int limit) { return int(random_() % std::uint32_t(limit)); }
  template <class... Choices>
  std::string one_of(const Choices&... choices) {
    const std::array<std::string, sizeof...(choices)> all{choices...};
    return all[std::size_t(below(int(all.size())))];
  }
  std::string gap() {
    std::string nops;
    if (below(4) > 0) {
      for (int i = below(8); i > 0; --i) nops += "nop\n";
    }
    return nops;
  }
  std::string v() { return fmt::format("v{}", below(6)); }
  std::string s() { return fmt::format("s{}", 1 + below(3)); }
  std::string vm() { return one_of("", "", ", vm1", ", vm2"); }
  std::string word() { return fmt::format("[{}]", 56 + below(16)); }
  std::string rows() {
    return fmt::format("[{} : {}]", one_of("s2", "0", "8", "24"), one_of("1", "1", "1", "2", "8", "0"));
  }

  std::string scalar() {
    return one_of(fmt::format("s.add {}, {}, {}", s(), s(), below(9)), fmt::format("s.mov {}, {}", s(), 8 * below(4)),
                  fmt::format("s.load {}, {}", s(), word()), fmt::format("s.store {}, {}", word(), s()),
                  fmt::format("s.eq p{}, {}, {}", 1 + below(2), s(), 8 * below(3)), fmt::format("s.pop {}", s()));
  }
  std::string vector() {
    return one_of(fmt::format("v.add.s32 {}, {}, {}{}", v(), v(), v(), vm()),
                  fmt::format("v.mov {}, {}{}", v(), below(9), vm()), fmt::format("v.splat {}, {}{}", v(), s(), vm()),
                  fmt::format("v.lt.s32 vm1, {}, {}{}", v(), v(), vm()), fmt::format("v.lt.s32 vm2, {}, 9", v()),
                  fmt::format("e.sqrt {}", v()));
  }
  std::string misc() {
    return one_of(fmt::format("dma {}", descriptors + 8 * below(int(routes.size()))),
                  fmt::format("dma {}", descriptors + 8 * below(int(routes.size()))),
                  fmt::format("sync.wait {}, {}", below(3), below(2)),
                  fmt::format("sync.set {}, {}", below(3), below(3)), "fence");
  }

  /// Some of: two scalar and two vector operations, load, store, push, pop, misc. A bundle that is not legal is none.
  std::string bundle() {
    std::vector<std::string> operations;
    const auto maybe = [&](int chance, const std::string& operation) {
      if (below(chance) > 0) return;
      operations.push_back(one_of("", "", "", "@p1 ", "@!p1 ", "@!p2 ") + operation);
    };
    maybe(2, scalar());
    maybe(3, scalar());
    maybe(2, vector());
    maybe(3, vector());
    maybe(3, fmt::format("vld {}, {}{}", v(), rows(), vm()));
    maybe(3, fmt::format("vst {}, {}{}", rows(), v(), vm()));
    maybe(5, fmt::format("{} {}", one_of("x.max.lanes", "x.sum.sublanes", "push.scalar", "push.scalar"), v()));
    maybe(8, fmt::format("pop {}, {}", v(), one_of("eup", "xlu")));
    maybe(3, misc());
    const std::string text = fmt::format("{{ {} }}\n", fmt::join(operations, " ; "));
    try {
      isa::pasm::assemble("t", text);
    } catch (const base::InputError&) {
      return "nop\n";
    }
    return text;
  }

  static std::string data() {
    std::string text = ".hbm a, 0\n .iota word, 1024\n.vmem v, 0\n .iota word, 4096, 7, 3\n";
    for (std::size_t i = 0; i < routes.size(); ++i) {
      text += fmt::format(".dma d{}, {} {{ {} ; flag = {} }}\n", i, descriptors + 8 * int(i), routes[i], i % 3);
    }
    return text;
  }
  static constexpr int descriptors = 128;  ///< SMEM word
  static constexpr std::array<const char*, 7> routes{
      "route = hbm_to_vmem ; source = 100 ; destination = 1024 ; words = 300",
      "route = hbm_to_vmem ; source = 64 ; destination = 4096 ; words = 40 ; rows = 7 ; source_stride = 50\n"
      "destination_stride = 128",
      "route = vmem_to_hbm ; source = 2048 ; destination = 5000 ; words = 129 ; rows = 3 ; source_stride = 128\n"
      "destination_stride = 200",
      "route = vmem_to_hbm ; source = 0 ; destination = 8000 ; words = 5",
      "route = hbm_to_hbm ; source = 10 ; destination = 9000 ; words = 90",
      "route = hbm_to_smem ; source = 8 ; destination = 60 ; words = 4",
      "route = smem_to_hbm ; source = 62 ; destination = 9500 ; words = 8"};

  std::mt19937 random_;
};

/// All that a memory holds after the plain core's run, as expectations of the program.
void expect_memories(PlainCore& plain, isa::Program& program) {
  for (const isa::MemorySpace space : {isa::MemorySpace::hbm, isa::MemorySpace::vmem, isa::MemorySpace::smem}) {
    isa::Expectation expectation;
    expectation.space = space;
    for (const auto& [address, word] : plain.words(space)) {
      if (address >= expectation.words.size()) expectation.words.resize(address + 1);
      expectation.words[address] = word;
    }
    program.expectations.push_back(expectation);
  }
}

/// Queues are short so that they fill.
Machine short_queues() {
  base::Config config = machine_file("tpu-v3");
  for (const char* value : {"core.clock=1 GHz", "hbm.stream_rate=100 GB/s", "dma.read_latency=20 ns",
                            "dma.write_latency=10 ns", "dma.queue_depth=3", "vector.transcendental_fifo_registers=2"}) {
    config.set(value);
  }
  return read_machine(config);
}

/// The program without the line of a bundle.
std::string without(const isa::Program& program, std::uint32_t bundle) {
  std::string text;
  for (std::size_t line = 0; line < program.source.size(); ++line) {
    text += (line + 1 == program.lines[0][bundle] ? "nop" : program.source[line]) + "\n";
  }
  return text;
}

/// Both report the same mistake at the same location and time.
void expect_verdict(Pasm& pasm, const PlainCore& plain, const std::string& text) {
  const std::string verdict = pasm.verdict(text);
  EXPECT_TRUE(verdict.starts_with(fmt::format("bundle {} (", plain.pc()))) << plain.pc() << " " << verdict;
  EXPECT_NE(verdict.find(fmt::format("), cycle {}: ", plain.cycles().value())), std::string::npos)
      << plain.cycles().value() << " " << verdict;
}

/// Both take the same time, stall for the same reasons and produce the same data.
void expect_result(Pasm& pasm, PlainCore& plain, isa::Program program) {
  expect_memories(plain, program);
  memory::DeviceMemory hbm(pasm.machine.hbm.capacity_per_core);
  const BundleRunResult result = pasm.run(program, hbm);
  EXPECT_EQ(result.cycles, plain.cycles());
  EXPECT_EQ(result.stalls, plain.stalls);
  for (const FailedExpectation& failed : result.failed) {
    ADD_FAILURE() << isa::to_string(failed.expectation->space) << " word " << failed.first;
  }
}

/// A program that makes a mistake loses the bundle that made it and is run again.
TEST(BundleCore, AgreesWithAPlainCoreOnRandomPrograms) {
  Pasm pasm;
  pasm.machine = short_queues();
  int passed = 0;
  int mistakes = 0;
  for (std::uint32_t seed = 0; seed < 100 && !HasFailure(); ++seed) {
    std::string text = RandomProgram(seed).text();
    for (int attempt = 0; attempt < 12 && !HasFailure(); ++attempt) {
      SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
      const isa::Program program = isa::pasm::assemble("test.pasm", text);
      PlainCore plain(pasm.machine, program);
      plain.run();
      if (!plain.failed) {
        expect_result(pasm, plain, program);
        ++passed;
        break;
      }
      expect_verdict(pasm, plain, text);
      ++mistakes;
      text = without(program, plain.pc());
    }
  }
  EXPECT_GT(passed, 40);
  EXPECT_GT(mistakes, 100);
}

}  // namespace
}  // namespace podsim::hw::bundle
