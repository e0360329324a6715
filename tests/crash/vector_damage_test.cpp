#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <iterator>

#include <holdfast/core/error.h>

#include "crash/vector_scene.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// The scene with a model that serves and the file of its index.
struct Filed {
  Filed() {
    const auto store = scene.open();
    const Space space = store->space("main", "tester");
    REQUIRE(space.models().create(VectorScene::model("a"), VectorScene::parameters()).outcome ==
            ModelOutcome::created);
    space.load_index();
    file = space.index_status().file;
    bytes = bytes_of(file);
    REQUIRE(bytes.size() > 1000);
  }

  SimilarRequest request(const Space& space) const {
    SimilarRequest request;
    const auto row = space.entities().list({}).items.at(0);
    request.query = SimilarRow{.kind = "entity", .id = row.id.uuid};
    return request;
  }

  /// Opens the store anew beside a file that is not what it should be: answers are right, the
  /// status says why, and the next process has a good file. What is wrong; "" for nothing.
  std::string use() {
    if (auto wrong = replace_in_background(); !wrong.empty()) return wrong;
    bytes = bytes_of(file);
    {
      const auto store = scene.open();
      const Space space = store->space("main", "tester");
      space.load_index();
      if (space.verify_index().findings_total != 0) return space.verify_index().findings[0].detail;
    }
    if (bytes_of(file) != bytes) return "the file was not made anew, or not used then";
    return scene.judge().wrong;
  }

  std::string replace_in_background() const {
    TestEnvironment environment(static_cast<std::uint64_t>(++processes));
    environment.clock.set(core::SystemClock().now());
    std::promise<void> is_seen;
    environment.faults.arm([seen = is_seen.get_future().share()](std::string_view point) {
      if (point == "index.snapshot") seen.wait();
    });
    const auto store = scene.open(&environment.environment, true);
    const Space space = store->space("main", "tester");
    const auto answer = space.similar(request(space));
    const bool is_told = !space.index_status().file_refusal.empty();
    is_seen.set_value();
    if (answer.items.size() != 10) return "another number of answers";
    if (!is_told) return "the status does not say why";
    space.load_index();
    if (space.similar(request(space)).items != answer.items) return "other answers";
    const auto status = space.index_status();
    if (status.state != IndexState::ready || !status.is_file_usable) return "not made anew";
    return "";
  }

  VectorScene scene;
  fs::path file;
  std::string bytes;
  mutable int processes = 0;  ///< no two make the same ids
};

}  // namespace

TEST_CASE("an index's file with a byte changed is not used, and is made anew", "[crash][vectors]") {
  Filed filed;
  constexpr std::size_t kSamples = 60;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::size_t at = i < 20 ? i * 13 : i * filed.bytes.size() / kSamples;
    CAPTURE(at);
    std::string damaged = filed.bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (i % 8)));
    put(filed.file, damaged);
    REQUIRE(filed.use() == "");
  }
}

TEST_CASE("an index's file that is cut short, empty or longer is not used, and is made anew",
          "[crash][vectors]") {
  Filed filed;
  const std::size_t whole = filed.bytes.size();
  for (std::size_t size = 0; size < whole; size += whole / 12) {
    CAPTURE(size);
    put(filed.file, filed.bytes.substr(0, size));
    REQUIRE(filed.use() == "");
  }
  put(filed.file, filed.bytes + "x");
  CHECK(filed.use() == "");
}

TEST_CASE("another generation's file in an index's place is not used", "[crash][vectors]") {
  Filed filed;
  {
    const auto store = filed.scene.open();
    const Space space = store->space("main", "tester");
    VectorScene::rebuild(space);
    space.load_index();
    filed.file = space.index_status().file;
    const std::string old = std::exchange(filed.bytes, bytes_of(filed.file));
    REQUIRE(filed.bytes != old);
    put(filed.file, old);
    CHECK(space.index_status().file_refusal != "");
  }
  CHECK(filed.use() == "");
}

TEST_CASE("a file that may not be read is not used, and is made anew", "[crash][vectors]") {
  if (geteuid() == 0) {
    WARN("SKIPPED: root may read everything");
    return;
  }
  Filed filed;
  fs::permissions(filed.file, fs::perms::none);
  CHECK(filed.use() == "");
}

TEST_CASE("a folder or a link in the place of an index's file costs the file alone",
          "[crash][vectors]") {
  const Filed filed;
  for (const bool is_folder : {true, false}) {
    CAPTURE(is_folder);
    fs::remove_all(filed.file);
    if (is_folder) {
      fs::create_directories(filed.file / "something");
    } else {
      fs::create_symlink(filed.file, filed.file);
    }
    const auto store = filed.scene.open(nullptr, true);
    const Space space = store->space("main", "tester");
    const auto answer = space.similar(filed.request(space));
    CHECK(answer.items.size() == 10);
    try {
      space.load_index();
    } catch (const Error&) {
      CHECK(is_folder);  // nothing can be put there
    }
    const auto status = space.index_status();
    CHECK(status.state == IndexState::ready);
    CHECK(space.similar(filed.request(space)).items == answer.items);
    CHECK(status.is_file_usable == !is_folder);
    CHECK((status.file_refusal != "") == is_folder);
  }
}

TEST_CASE("a link that leads nowhere in the place of the files' folder costs the files alone",
          "[crash][vectors]") {
  const Filed filed;
  const fs::path folder = filed.scene.folder();
  fs::remove_all(folder);
  fs::create_symlink(folder, folder);
  const auto store = filed.scene.open();
  const Space space = store->space("main", "tester");
  for (int i = 0; i < 2; ++i) {
    CHECK(space.similar(filed.request(space)).items.size() == 10);
    CHECK(space.index_status().state == IndexState::ready);
    CHECK(space.index_status().last_error != "");
  }
}

TEST_CASE("whatever fails while an index's file is written, searches and writes go on",
          "[crash][vectors]") {
  for (const std::string failing :
       {"index.snapshot", "segment_file.before_write", "segment_file.partial",
        "segment_file.before_sync", "segment_file.before_rename", "segment_file.after_rename"}) {
    CAPTURE(failing);
    Filed filed;
    fs::remove(filed.file);
    TestEnvironment environment(7);
    environment.clock.set(core::SystemClock().now());
    int left = 1;
    environment.faults.arm([&](std::string_view point) {
      if (point == failing && left-- > 0) throw Full("the disk, in a test");
    });
    const auto store = filed.scene.open(&environment.environment);
    const Space space = store->space("main", "tester");
    const auto answer = space.similar(filed.request(space));
    CHECK(answer.items.size() == 10);
    const auto status = space.index_status();
    CHECK(status.state == IndexState::ready);
    CHECK(status.last_error == "the disk, in a test");
    VectorScene::edit(space, 1);
    (void)space.models().embed("m");
    CHECK(space.similar(filed.request(space)).items.size() == 10);
    for (const std::string& file : filed.scene.files()) CHECK_FALSE(file.ends_with(".tmp"));
    CHECK(filed.scene.judge().wrong == "");
    (void)space.compact_index();
    CHECK(space.index_status().is_file_usable);
  }
}

TEST_CASE("a disk that is full fails the index's file, and nothing else", "[crash][vectors]") {
  Filed filed;
  fs::remove(filed.file);
  const auto fill = [&](const VectorScene::Child& child) {
    // Nothing but the file is so long: the database's log is, too, so it is written to before.
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 2000, .rlim_max = RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("setrlimit");
    const auto answer = child.space.similar(filed.request(child.space));
    const auto status = child.space.index_status();
    const rlimit no_limit{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &no_limit) != 0) throw std::runtime_error("setrlimit");
    if (answer.items.size() != 10) throw std::runtime_error("no answers");
    if (status.state != IndexState::ready) throw std::runtime_error("no index");
    if (status.last_error.find("cannot write") == std::string::npos) {
      throw std::runtime_error("no error in the status: " + status.last_error);
    }
    VectorScene::edit(child.space, 1);
    (void)child.space.models().embed("m");
    if (child.space.similar(filed.request(child.space)).items.size() != 10) {
      throw std::runtime_error("no answers after writes");
    }
    _exit(0);  // as if killed: nothing is tidied up at the end
  };
  const int status = wait_for(filed.scene.start(
      SIGKILL, [](int, const std::string&) { return false; }, fill));
  CHECK(filed.scene.judge().wrong == "");
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  for (const std::string& file : filed.scene.files()) CHECK_FALSE(file.ends_with(".tmp"));
}

}  // namespace holdfast::test
