#include <holdfast/space/read_token.h>

#include <charconv>
#include <vector>

#include <holdfast/core/digest.h>
#include <holdfast/core/error.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/space_store.h>
#include <holdfast/space/space.h>

#include "plan_run.h"
#include "reading.h"

namespace holdfast {
namespace {

constexpr std::string_view kVersion = "hf1";

[[noreturn]] void refuse(std::string_view text, const char* rule) {
  throw InvalidArgument("read_token", std::string(text), rule);
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

template <class Number>
Number number(std::string_view text, std::string_view part) {
  Number value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc{} || end != part.data() + part.size()) {
    refuse(text, "be as begin answered it");
  }
  return value;
}

/// Names the event that ends the line of history: its request's id is made at random.
std::string mark_of(storage::Transaction& transaction, std::string_view space, Sequence seq) {
  const auto event = journal::event_at(transaction, space, seq);
  if (!event) throw Corrupt("the journal of space " + std::string(space) + " lacks its end");
  const auto digest = core::sha256(event->request_id + "/" + to_string(event->id));
  return core::to_hex({reinterpret_cast<const char*>(digest.data()), 8});
}

}  // namespace

ReadToken ReadToken::parse(std::string_view text) {
  const auto parts = parts_of(text);
  if (parts.size() != 5 || parts[0] != kVersion || parts[4].size() != 16) {
    refuse(text, "be as begin answered it");
  }
  ReadToken token;
  try {
    token.space = parse_uuid("read_token", parts[1]);
  } catch (const InvalidArgument&) {
    refuse(text, "be as begin answered it");
  }
  token.made_at = from_us(number<std::int64_t>(text, parts[2]));
  token.seq = number<Sequence>(text, parts[3]);
  token.event = parts[4];
  return token;
}

std::string to_string(const ReadToken& token) {
  return std::string(kVersion) + ":" + to_string(token.space) + ":" +
         std::to_string(to_us(token.made_at)) + ":" + std::to_string(token.seq) + ":" +
         token.event;
}

void require_own(storage::Transaction& transaction, std::string_view space,
                 const ReadToken& token) {
  const std::string text = to_string(token);
  const auto row = journal::SpaceStore::find(transaction, space);
  if (!row) throw NotFound("space", std::string(space));
  if (token.space != row->id.uuid) {
    refuse(text, ("be of space " + std::string(space) + ", not of another").c_str());
  }
  if (token.made_at != row->created_at) {
    refuse(text, "be taken again: the space was deleted and made anew since");
  }
  const Sequence end = journal::tail(transaction, space).seq;
  if (token.seq > end) {
    refuse(text, ("not be after the journal's end, " + std::to_string(end)).c_str());
  }
  if (token.seq == 0 || token.event != mark_of(transaction, space, token.seq)) {
    refuse(text, "be taken again: the journal is not the one that it was taken from");
  }
}

Beginning Space::begin() const {
  const Reading reading(access_);
  const auto row = journal::SpaceStore::find(reading.transaction(), access_.space).value();
  const Sequence end = reading.tail().seq;
  return {.tail = reading.tail(),
          .read_token = {.space = row.id.uuid,
                         .made_at = row.created_at,
                         .seq = end,
                         .event = mark_of(reading.transaction(), access_.space, end)}};
}

}  // namespace holdfast
