#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace holdfast::test {

/// What `work` answers in a child process whom file permissions bind, also where the tests run as
/// root. The calling process must have no other thread.
inline std::string as_nobody(const std::function<std::string()>& work) {
  constexpr uid_t kNobody = 65534;
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    std::string answer = "cannot drop privileges";
    if (geteuid() != 0 || (setgid(kNobody) == 0 && setuid(kNobody) == 0)) {
      try {
        answer = work();
      } catch (const std::exception& error) {
        answer = error.what();
      }
    }
    const auto written = write(ends[1], answer.data(), answer.size());
    _exit(written == static_cast<ssize_t>(answer.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string answer;
  std::array<char, 512> part;
  for (ssize_t got; (got = read(ends[0], part.data(), part.size())) > 0;) {
    answer.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the child failed");
  return answer;
}

/// While it lives, nobody but root may write in the folder, and all may read what is in it.
class ReadOnlyFolder {
 public:
  explicit ReadOnlyFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
    namespace fs = std::filesystem;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      fs::permissions(entry.path(), fs::perms(0444));
    }
    fs::permissions(folder_, fs::perms(0555));
  }
  ~ReadOnlyFolder() {
    std::error_code ignored;
    std::filesystem::permissions(folder_, std::filesystem::perms(0755), ignored);
  }
  ReadOnlyFolder(const ReadOnlyFolder&) = delete;
  ReadOnlyFolder& operator=(const ReadOnlyFolder&) = delete;

 private:
  const std::filesystem::path folder_;
};

}  // namespace holdfast::test
