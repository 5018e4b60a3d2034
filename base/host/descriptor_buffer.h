// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <streambuf>

namespace podsim::base::host {

/// A stream buffer that writes to a file descriptor. A failed write ends the stream: its errno is kept, and nothing is
/// written any more.
class DescriptorBuffer : public std::streambuf {
 public:
  /// `open` is called before each write; it returns the descriptor, or -1 with errno. The caller closes it.
  explicit DescriptorBuffer(std::function<int()> open);

  /// errno of the first failed write, 0 if there is none.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override;
  int sync() override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;

 private:
  bool write_all(const char* text, std::size_t count);

  std::function<int()> open_;
  int error_ = 0;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace podsim::base::host
