#include <algorithm>
#include <chrono>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>

#include "commands.h"
#include "document.h"
#include "event_report.h"
#include "failure.h"
#include "interrupt.h"
#include "page_report.h"
#include "session.h"
#include "text.h"

namespace holdfast::cli {
namespace {

/// Events that are read at once where some are passed over or their number is open.
constexpr std::size_t kBlock = 100;
constexpr std::chrono::hours kWait{1};

/// What `journal tail` is asked for.
struct Asked {
  std::optional<Sequence> from;
  std::size_t limit = 100;
  bool is_limited = false;  ///< `limit` was given
  std::optional<std::string> kind;
  bool wants(const Event& event) const { return !kind || event.kind == *kind; }
  /// How many to read at once when so many are still wanted: an event may be a mebibyte.
  std::size_t block(std::size_t wanted) const { return kind ? kBlock : std::min(kBlock, wanted); }
};

Asked read_options(const Options& options) {
  Asked asked;
  asked.limit = page_request(options).limit;
  core::check_limit("limit", asked.limit);
  asked.is_limited = options.limit.has_value();
  asked.kind = options.journal.kind;
  if (options.journal.from) {
    asked.from = parse_whole("from", *options.journal.from, "be a sequence, 1 or more");
    if (*asked.from == 0) throw InvalidArgument("from", "0", "be a sequence, 1 or more");
  }
  return asked;
}

/// The first events from a sequence on, and how many follow.
Page<Event> page_from(const Space& space, const Asked& asked) {
  Page<Event> page;
  const Sequence end = space.tail().seq;
  Sequence at = *asked.from - 1;
  if (at > end) {
    throw InvalidArgument("from", std::to_string(*asked.from),
                          "not be beyond what comes next, " + std::to_string(end + 1));
  }
  while (at < end) {
    const auto block = space.tail(at, asked.block(asked.limit - page.items.size() + 1));
    for (const Event& event : block) {
      at = event.seq;
      if (!asked.wants(event)) continue;
      if (page.items.size() < asked.limit) {
        page.items.push_back(event);
        continue;
      }
      if (!page.next) page.next = std::to_string(event.seq);
      if (!asked.kind) {
        page.left_out = end - event.seq + 1;
        return page;
      }
      if (page.left_out == storage::kLeftOutCountMax) {
        page.left_out_is_minimum = true;
        return page;
      }
      ++page.left_out;
    }
  }
  return page;
}

/// The last events there are.
Page<Event> last_page(const Space& space, const Asked& asked) {
  Page<Event> page;
  for (Sequence end = space.tail().seq; end > 0 && page.items.size() < asked.limit;) {
    const std::size_t size = asked.block(asked.limit - page.items.size());
    const Sequence start = end > size ? end - size : 0;
    auto block = space.tail(start, static_cast<std::size_t>(end - start));
    std::erase_if(block, [&](const Event& event) { return !asked.wants(event); });
    page.items.insert(page.items.begin(), block.begin(), block.end());
    end = start;
  }
  if (page.items.size() > asked.limit) {
    page.items.erase(page.items.begin(),
                     page.items.end() - static_cast<std::ptrdiff_t>(asked.limit));
  }
  return page;
}

std::string page_document(const Page<Event>& page) {
  std::vector<std::string> items;
  for (const Event& event : page.items) items.push_back(to_json(event));
  core::JsonWriter out;
  out.raw("items", json_array(items)).raw("next", page.next.value_or("null"));
  return out.unsigned_integer("left_out", page.left_out)
      .boolean("left_out_is_minimum", page.left_out_is_minimum)
      .finish();
}

void show_page(Session& session, const Asked& asked) {
  const Space space = session.reading_space();
  const auto page = asked.from ? page_from(space, asked) : last_page(space, asked);
  if (session.json()) return session.print(page_document(page));
  std::string out;
  for (const Event& event : page.items) out += line(event) + "\n";
  out += counted(page.items.size(), "event", "events");
  if (page.next) {
    out += std::string(" shown, ") + (page.left_out_is_minimum ? "more than " : "") +
           grouped(page.left_out) + " left out; next page: --from " + *page.next;
  }
  session.print(out);
}

/// Prints each event as it comes, until a signal ends the process or `limit` is reached.
void follow(Session& session, const Asked& asked) {
  const Space space = session.reading_space();
  const Interrupt interrupt;
  Sequence after = asked.from ? *asked.from - 1 : space.tail().seq;
  for (std::size_t shown = 0; !asked.is_limited || shown < asked.limit;) {
    std::vector<Event> events;
    {
      const Interrupt::Wait wait;
      events = space.tail(after, kBlock, kWait);
    }
    for (const Event& event : events) {
      if (interrupt.signal() != 0) stop_for(interrupt.signal(), "");
      after = event.seq;
      if (!asked.wants(event)) continue;
      session.print(session.json() ? to_json(event) : line(event));
      if (asked.is_limited && ++shown == asked.limit) return;
    }
  }
}

}  // namespace

void tail_journal(Session& session, const Options& options) {
  const Asked asked = read_options(options);
  if (options.journal.follow) return follow(session, asked);
  show_page(session, asked);
}

void show_event(Session& session, const Options& options) {
  const Sequence seq = parse_whole("seq", options.id, "be a sequence, 1 or more");
  if (seq == 0) throw InvalidArgument("seq", options.id, "be a sequence, 1 or more");
  const Space space = session.reading_space();
  if (seq > space.tail().seq) throw NotFound("event", options.id);
  const auto events = space.tail(seq - 1, 1);
  if (session.json()) return session.print(to_json(events.front()));
  session.print(line(events.front()) + "\n" + fields_text(events.front()));
}

void show_request(Session& session, const Options& options) {
  const std::string id = core::check_request_id(options.id);
  const auto record = session.space().find_request(id);
  if (!record) throw NotFound("request", id);
  if (session.json()) {
    return session.print(core::JsonWriter()
                             .string("request_id", id)
                             .unsigned_integer("seq", record->seq)
                             .integer("at", to_us(record->at))
                             .finish());
  }
  session.print("request " + printable(id) + " was applied at " + to_rfc3339(record->at) +
                "; its last event is " + std::to_string(record->seq));
}

}  // namespace holdfast::cli
