// SPDX-License-Identifier: Apache-2.0
#include "base/host/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::base::host {
namespace {

constexpr std::size_t max_decompressed = std::size_t(4) << 30;

/// A stream of zlib, which is ended with this object.
class Inflation {
 public:
  Inflation() {
    constexpr int gzip_alone = 15 + 16;  // the largest window; a gzip header
    if (inflateInit2(&stream_, gzip_alone) != Z_OK) throw InputError("zlib cannot begin");
  }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
  ~Inflation() { inflateEnd(&stream_); }

  std::string run(std::string_view bytes) {
    std::string text;
    std::vector<char> buffer(std::size_t(1) << 16);
    std::size_t taken = 0;
    while (true) {
      const std::size_t part = std::min<std::size_t>(bytes.size() - taken, std::numeric_limits<uInt>::max());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
      stream_.avail_in = uInt(part);
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = uInt(buffer.size());
      const int state = inflate(&stream_, Z_NO_FLUSH);
      taken += part - stream_.avail_in;
      text.append(buffer.data(), buffer.size() - stream_.avail_out);
      if (text.size() > max_decompressed) throw InputError("the gzip file holds more than 4 GiB");
      if (state == Z_STREAM_END) {
        if (taken == bytes.size()) return text;
        inflateReset(&stream_);
      } else if (state != Z_OK) {
        throw InputError("the gzip file is damaged or incomplete");
      }
    }
  }

 private:
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b\x08"); }

std::string decompressed(std::string_view bytes) { return Inflation().run(bytes); }

}  // namespace podsim::base::host
