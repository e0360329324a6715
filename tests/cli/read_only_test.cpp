#include <unistd.h>

#include <fstream>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;
using Words = Cli::Words;

/// A database in a folder that the program may not write; root runs it as somebody else.
class OnReadOnlyMedia : public ReadyCli {
 public:
  OnReadOnlyMedia() {
    id = entity("Ada");
    media = home() / "media";
    fs::create_directory(media);
    run({"backup", "media/memory.db"});
    variables["HOLDFAST_DB"] = media / "memory.db";
    fs::permissions(home(), fs::perms(0755));
    fs::permissions(media, fs::perms(0555));
    fs::permissions(media / "memory.db", fs::perms(0444));
    if (geteuid() != 0) return;
    fs::copy_file(program.front(), home() / "holdfast");
    program = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", home() / "holdfast"};
  }
  ~OnReadOnlyMedia() { fs::permissions(media, fs::perms(0755)); }
  OnReadOnlyMedia(const OnReadOnlyMedia&) = delete;
  OnReadOnlyMedia& operator=(const OnReadOnlyMedia&) = delete;

  std::string id;
  fs::path media;
};

}  // namespace

TEST_CASE("P3: commands that only read work on read-only media", "[cli]") {
  const OnReadOnlyMedia cli;
  for (const Words& words : {Words{"info"},
                             {"info", "--sizes"},
                             {"verify"},
                             {"entity", "get", cli.id},
                             {"entity", "list"},
                             {"entity", "list", "--count"},
                             {"entity", "history", cli.id},
                             {"neighbors", cli.id},
                             {"traverse", cli.id},
                             {"path", cli.id, cli.id},
                             {"relation", "list"},
                             {"space", "list"},
                             {"space", "info"},
                             {"journal", "tail"},
                             {"journal", "show", "1"},
                             {"entity", "get", cli.id, "--as-of", "2"}}) {
    INFO(words[0]);
    const auto answer = cli.json(words);
    CHECK(answer.exit_code == 0);
    CHECK(answer.err == "");
  }
  CHECK(cli.run({"export"}).out.find("Ada") != std::string::npos);
  CHECK(cli.json({"info"}).json()["database"]["is_read_only"] == true);
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(cli.media)) {
    files.insert(entry.path().filename());
  }
  CHECK(files == std::set<std::string>{"memory.db"});
}

TEST_CASE("a write on read-only media is exit code 6", "[cli]") {
  const OnReadOnlyMedia cli;
  const auto refused = cli.json({"entity", "create", "--kind", "x", "--name", "y"});
  CHECK(refused.exit_code == 6);
  CHECK(refused.error()["code"] == "unavailable");
}

TEST_CASE("reading takes no lock, so a writer that stands still is in nobody's way", "[cli]") {
  const ReadyCli cli;
  CHECK(cli.json({"info"}).json()["database"]["is_read_only"] == true);
}

}  // namespace holdfast::test
