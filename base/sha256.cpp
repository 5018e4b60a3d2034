// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace podsim::base {
namespace {

constexpr std::size_t block_bytes = 64, length_bytes = 8;

/// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// 5.3.3: as above, of the square roots of the first eight primes.
using State = std::array<std::uint32_t, 8>;
constexpr State initial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// 6.2.2, step 1: a block as 16 big-endian words, and 48 words made of them.
std::array<std::uint32_t, 64> message_schedule(std::string_view block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < block_bytes; ++i) {
    words[i / 4] = words[i / 4] << 8 | static_cast<unsigned char>(block[i]);
  }
  for (std::size_t t = 16; t < words.size(); ++t) {
    const std::uint32_t a = words[t - 15], b = words[t - 2];
    const std::uint32_t sigma0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3;
    const std::uint32_t sigma1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10;
    words[t] = sigma1 + words[t - 7] + sigma0 + words[t - 16];
  }
  return words;
}

/// 6.2.2, steps 2 to 4.
void absorb(State& hash, std::string_view block) {
  const std::array<std::uint32_t, 64> words = message_schedule(block);
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < words.size(); ++t) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + constants[t] + words[t];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const State worked = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] += worked[i];
}

/// 5.1.1: the rest of the data, a one bit, zeros, and the length in bits as the last eight bytes.
std::string padded_end(std::string_view rest, std::uint64_t bytes) {
  std::string end(rest);
  end += char(0x80);
  while (end.size() % block_bytes != block_bytes - length_bytes) end += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) end += char(bytes * 8 >> shift & 0xff);
  return end;
}

}  // namespace

std::string sha256(std::string_view data) {
  State hash = initial;
  const std::size_t whole = data.size() / block_bytes * block_bytes;
  for (std::size_t i = 0; i < whole; i += block_bytes) absorb(hash, data.substr(i, block_bytes));
  const std::string end = padded_end(data.substr(whole), data.size());
  for (std::size_t i = 0; i < end.size(); i += block_bytes) absorb(hash, std::string_view(end).substr(i, block_bytes));
  std::string digits;
  for (std::uint32_t word : hash) digits += fmt::format("{:08x}", word);
  return digits;
}

}  // namespace podsim::base
