#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

/// The writer's byte of the lock file, held by somebody else.
class HeldLock {
 public:
  explicit HeldLock(const std::string& path) : file_(open(path.c_str(), O_RDWR)) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    REQUIRE(fcntl(file_, F_OFD_SETLK, &lock) == 0);
  }
  ~HeldLock() { close(file_); }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;

 private:
  int file_;
};

/// No file that this process or one it starts writes may grow beyond `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a wrong command line is exit code 2 in either form", "[cli]") {
  const ReadyCli cli;
  for (const Words& words :
       {Words{}, {"frobnicate"}, {"entity"}, {"entity", "frobnicate"}, {"entity", "get"},
        {"entity", "list", "--frobnicate"}, {"entity", "list", "--deleted", "maybe"},
        {"neighbors", kNobody, "--direction", "up"}, {"import", "--format", "csv"}, {"import"},
        {"init", "--relations", "some"}, {"--durability", "none", "info"},
        {"entity", "get", kNobody, "another"}, {"entity", "list", "--name=", "--count"},
        {"entity", "list", "--count", "--limit", "5"}}) {
    const auto answer = cli.run(words);
    CHECK(answer.exit_code == 2);
    CHECK(answer.out.empty());
    const auto json = cli.json(words);
    CHECK(json.exit_code == 2);
    CHECK(json.out.empty());
    CHECK(json.error()["code"] == "usage");
  }
}

TEST_CASE("input that breaks a rule is exit code 5 and names the field", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Alice");
  const auto field = [&](const Words& words, const std::string& input = "") {
    const auto answer = cli.json(words, input);
    CHECK(answer.exit_code == 5);
    CHECK(answer.out.empty());
    CHECK(answer.error()["code"] == "invalid_argument");
    return answer.error()["field"].get<std::string>();
  };
  CHECK(field({"entity", "get", "alice"}) == "id");
  CHECK(field({"entity", "list", "--limit", "0"}) == "limit");
  CHECK(field({"entity", "list", "--limit", "ten"}) == "limit");
  CHECK(field({"entity", "list", "--cursor", "x"}) == "cursor");
  CHECK(field({"entity", "list", "--cursor", ""}) == "cursor");
  CHECK(field({"neighbors", id, "--cursor", "x"}) == "cursor");
  CHECK(field({"entity", "history", id, "--cursor", "x"}) == "cursor");
  CHECK(field({"entity", "list", "--name", ""}) == "name");
  CHECK(field({"entity", "list", "--created-from", "yesterday"}) == "created_from");
  CHECK(field({"entity", "create", "--kind", "x", "--name", "a", "--properties", "[1]"}) ==
        "properties");
  CHECK(field({"entity", "create", "--kind", "x", "--name", "\xff"}) == "name");
  CHECK(field({"entity", "create", "--from", "-"}, R"({"nmae":"x"})") == "nmae");
  CHECK(field({"entity", "update", id, "--patch", "{"}) == "patch");
  CHECK(field({"entity", "delete", id, "--revision", "new"}) == "revision");
  CHECK(field({"edge", "create", "--weight", "heavy"}) == "weight");
  CHECK(field({"edge", "create", "--weight", "inf"}) == "weight");
  CHECK(field({"--space", "a\nb", "info", "--db", ""}) == "db");
  CHECK(field({"--space", "a\nb", "entity", "list"}) == "space");
  CHECK(field({"--actor", "", "entity", "list"}) == "actor");
}

TEST_CASE("a cursor of another query is refused", "[cli]") {
  const ReadyCli cli;
  cli.entity("Alice");
  cli.entity("Bob");
  const std::string cursor = cli.json({"entity", "list", "--limit", "1"}).json()["next"];
  const auto answer = cli.json({"entity", "list", "--kind", "place", "--cursor", cursor});
  CHECK(answer.exit_code == 5);
  CHECK(answer.error()["field"] == "cursor");
}

TEST_CASE("an unknown row is exit code 3 for every command", "[cli]") {
  const ReadyCli cli;
  for (const std::string kind : {"entity", "edge", "note"}) {
    for (const Words& words :
         {Words{kind, "get", kNobody}, {kind, "history", kNobody}, {kind, "delete", kNobody},
          {kind, "restore", kNobody}, {kind, "delete", kNobody, "--revision", "1"},
          {kind, "restore", kNobody, "--revision", "1"},
          {kind, "update", kNobody, "--patch", R"({"properties":{}})"},
          {kind, "replace", kNobody, "--from", "-", "--revision", "1"}}) {
      const auto answer = cli.json(words, "{}");
      CHECK(answer.exit_code == 3);
      CHECK(answer.error()["code"] == "not_found");
      CHECK(answer.error()["kind"] == kind);
      CHECK(answer.error()["id"] == kNobody);
    }
  }
}

TEST_CASE("a lock that nobody lets go of is exit code 6, after a bounded wait", "[cli][slow]") {
  const ReadyCli cli;
  const HeldLock held(cli.database().string() + "-lock");
  const auto answer = cli.json({"entity", "create", "--kind", "x", "--name", "y"});
  CHECK(answer.exit_code == 6);
  CHECK(answer.error()["code"] == "busy");
}

TEST_CASE("a limit on the size of files is exit code 6, and nothing was written", "[cli]") {
  const ReadyCli cli;
  cli.write("long.txt", std::string(1'000'000, 'x'));
  {
    const FileSizeLimit limit(500'000);
    const auto answer = cli.json({"note", "create", "--kind", "x", "--content-file", "long.txt"});
    CHECK(answer.exit_code == 6);
    CHECK(answer.out.empty());
    const std::string code = answer.error()["code"];
    CHECK((code == "full" || code == "unavailable"));
  }
  CHECK(cli.run({"note", "list", "--count"}).out == "0\n");
}

TEST_CASE("somebody else's file is exit code 6 and is left alone", "[cli]") {
  const Cli cli;
  cli.write("notes.txt", "my notes");
  CHECK(cli.json({"--db", "notes.txt", "init"}).error()["code"] == "unsupported");
  CHECK(cli.run({"--db", ".", "info"}).exit_code == 6);
  CHECK(std::filesystem::file_size(cli.home() / "notes.txt") == 8);
}

}  // namespace holdfast::test
