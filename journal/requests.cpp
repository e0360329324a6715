#include <holdfast/journal/requests.h>

#include <algorithm>

#include <holdfast/core/digest.h>
#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/storage/guard.h>

namespace holdfast::journal {
namespace {

/// Answers before this time are kept no longer.
Timestamp kept_since(const Appender& appender) {
  return appender.at() - appender.settings().request_retention;
}

/// A few at a time, so that no write pays for all; each write adds one and drops up to eight.
void drop_old_answers(Appender& appender) {
  auto drop = appender.transaction().prepare(
      "UPDATE requests SET answer = '' WHERE space = $1 AND request_id IN (SELECT request_id"
      " FROM requests WHERE space = $1 AND at < $2 AND answer <> '' ORDER BY at LIMIT 8)");
  drop.bind(appender.space(), kept_since(appender));
  drop.run();
}

}  // namespace

Request make_request(std::string_view id, std::string_view what) {
  return {.id = core::check_request_id(id), .digest = core::sha256(what)};
}

std::optional<std::string> find_answer(Appender& appender, const Request& request) {
  auto select = appender.transaction().prepare(
      "SELECT digest, answer, seq, at FROM requests WHERE space = $1 AND request_id = $2");
  select.bind(appender.space(), request.id);
  const bool is_new = !select.step();
  if (storage::holds("request.replay", "id", is_new)) return std::nullopt;
  const auto digest = select.get<storage::Blob>(0);
  const auto seq = std::to_string(select.get<Sequence>(2));
  if (!storage::holds("request.replay", "digest",
                      std::equal(digest.begin(), digest.end(), request.digest.begin(),
                                 request.digest.end()))) {
    throw InvalidArgument("request_id", request.id,
                          "be a new one: it stands for another request, applied at sequence " +
                              seq);
  }
  auto answer = select.get<std::string>(1);
  const bool is_kept = !answer.empty() && select.get<Timestamp>(3) >= kept_since(appender);
  if (!storage::holds("request.replay", "retention", is_kept)) {
    throw Gone("request " + request.id + " was applied at sequence " + seq +
               "; its answer is kept no longer");
  }
  return answer;
}

std::optional<RequestRecord> find_request(storage::Transaction& transaction,
                                          std::string_view space, std::string_view id) {
  auto select = transaction.prepare(
      "SELECT seq, at FROM requests WHERE space = $1 AND request_id = $2");
  select.bind(space, core::check_request_id(id));
  if (!select.step()) return std::nullopt;
  return RequestRecord{.seq = select.get<Sequence>(0), .at = select.get<Timestamp>(1)};
}

void keep_answer(Appender& appender, const Request& request, std::string_view answer) {
  auto insert = appender.transaction().prepare(
      "INSERT INTO requests (space, request_id, digest, answer, seq, at)"
      " VALUES ($1, $2, $3, $4, $5, $6)");
  insert.bind(appender.space(), request.id, storage::Blob(request.digest), answer,
              appender.next_seq() - 1, appender.at());
  insert.run();
  drop_old_answers(appender);
}

}  // namespace holdfast::journal
