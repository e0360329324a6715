#include "space_settings.h"

#include <holdfast/core/error.h>

#include "document.h"

namespace holdfast::cli {
namespace {

constexpr const char* kNone = "none";

void change_limit(const char* field, const std::optional<std::string>& text,
                  std::optional<std::uint64_t>& limit) {
  if (!text) return;
  limit.reset();
  if (*text != kNone) limit = parse_whole(field, *text, "be a whole number, or none");
}

}  // namespace

SpaceSettings changed(const SpaceSettings& settings, const SettingOptions& options) {
  SpaceSettings out = settings;
  if (options.relations) {
    out.relations =
        *options.relations == "declared" ? RelationPolicy::declared : RelationPolicy::open;
  }
  change_limit("rows_max", options.rows_max, out.rows_max);
  change_limit("bytes_max", options.bytes_max, out.bytes_max);
  if (options.request_retention) {
    out.request_retention = SpaceSettings{}.request_retention;
    if (*options.request_retention != kNone) {
      const auto seconds = parse_whole("request_retention", *options.request_retention,
                                       "be a whole number of seconds, or none");
      out.request_retention = std::chrono::seconds(static_cast<std::int64_t>(seconds));
    }
  }
  (void)read_settings(to_json(out));  // which has the ranges
  return out;
}

bool has_space(Store& store, const std::string& name, const std::string& actor) {
  try {
    (void)store.space(name, actor);
    return true;
  } catch (const NotFound&) {
    return false;
  }
}

}  // namespace holdfast::cli
