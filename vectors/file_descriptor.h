#pragma once

#include <unistd.h>

namespace holdfast::vectors {

/// Closes a descriptor; less than 0 is none.
/// Thread safety: none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int value) : value_(value) {}
  ~FileDescriptor() {
    if (value_ >= 0) close(value_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

}  // namespace holdfast::vectors
