#include "database_fixture.h"
#include "storage/sqlite/write_session.h"
#include "support/catch.h"
#include "support/fixture.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using storage::CommitResult;
using storage::sqlite::LockFile;
using storage::sqlite::SqliteConnection;
using storage::sqlite::SqliteWriteSession;

/// Reports the next commit as broken half-way, whether or not it landed.
class BrokenSession final : public storage::WriteSession {
 public:
  explicit BrokenSession(SqliteWriteSession& session) : session_(session) {}
  storage::Connection& connection() override { return session_.connection(); }
  void begin() override { session_.begin(); }
  CommitResult commit() noexcept override {
    if (!breaks_) return session_.commit();
    breaks_ = false;
    if (lands_) (void)session_.commit();
    session_.roll_back();
    return {.kind = CommitResult::Kind::broken,
            .error = std::make_exception_ptr(Unavailable("the disk failed"))};
  }
  void roll_back() noexcept override { session_.roll_back(); }
  void write_barrier() override { session_.write_barrier(); }
  void finish() noexcept override { session_.finish(); }
  void break_next(bool lands) {
    breaks_ = true;
    lands_ = lands;
  }

 private:
  SqliteWriteSession& session_;
  bool breaks_ = false;
  bool lands_ = false;
};

struct Fixture {
  Fixture() {
    store.space.reset();
    store.store.reset();
    connection.answer("PRAGMA schema_version");  // opens the log
  }

  void submit() {
    writer.submit(
        [&](storage::Transaction& transaction) {
          journal::in_space(transaction, context, [](journal::Appender& appender) {
            return appender.append({.kind = "entity",
                                    .id = Uuid{{1}},
                                    .op = "create",
                                    .body = "{}",
                                    .stream = journal::Appender::Stream::begins});
          });
          return storage::Verdict::keep;
        },
        context.request_id);
  }

  std::int64_t events() {
    return connection.answer_integer("SELECT count(*) FROM events WHERE request_id = 'r1'");
  }

  TestStore store;
  std::string path = store.options().database.path.string();
  SqliteConnection connection{
      {.path = path, .vfs = "", .access = storage::sqlite::Access::read_write}};
  LockFile lock{path + "-lock", store.environment.environment};
  SqliteWriteSession inner{connection, lock, {std::chrono::milliseconds(100), 4000}};
  BrokenSession session{inner};
  storage::Writer writer{session, store.environment.environment};
  journal::WriteContext context{.space = "main",
                                .actor = "tester",
                                .request_id = "r1",
                                .environment = store.environment.environment,
                                .registry = store.space->access().registry};
};

}  // namespace

TEST_CASE("a commit that broke half-way and is there is answered as applied", "[storage]") {
  Fixture f;
  f.session.break_next(true);
  CHECK_NOTHROW(f.submit());
  CHECK(f.events() == 1);
  CHECK(f.writer.stats().commits == 1);
  CHECK(f.writer.stats().unknown == 0);
}

TEST_CASE("a commit that broke half-way and is not there ends in its own error", "[storage]") {
  Fixture f;
  f.session.break_next(false);
  CHECK_THROWS_AS(f.submit(), Unavailable);
  CHECK(f.events() == 0);
  CHECK(f.writer.stats().unknown == 0);
  CHECK_NOTHROW(f.submit());
  CHECK(f.events() == 1);
}
