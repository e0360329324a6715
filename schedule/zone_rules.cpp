#include "zone_rules.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace holdfast::schedule {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::string_view kFolder = "/usr/share/zoneinfo/";
constexpr std::size_t kNameBytesMax = 255;
constexpr std::size_t kHeaderBytes = 44;
constexpr std::size_t kTypeBytes = 6;
/// Beyond it RFC 9636 calls a file unsound.
constexpr std::int64_t kOffsetMax = 26 * 3600;

/// What lies in the folder besides zones that have a meaning everywhere: this machine's own zone,
/// and copies of the database, in `right` with leap seconds.
bool is_machines_own(std::string_view name) {
  return name == "localtime" || name == "posixrules" || name == "Factory" ||
         name.starts_with("posix/") || name.starts_with("right/");
}

/// Parts of letters, digits and `_`, `+`, `-`: no way out of the folder, and no table in it.
bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > kNameBytesMax || is_machines_own(name)) return false;
  char before = '/';
  for (const char c : name) {
    const bool is_part = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-';
    if (!is_part && (c != '/' || before == '/')) return false;
    before = c;
  }
  return before != '/';
}

}  // namespace

std::shared_ptr<const ZoneRules> ZoneRules::find(std::string_view name) {
  if (!is_zone_name(name)) return nullptr;
  const std::string path = std::string(kFolder) + std::string(name);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return nullptr;
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return read(std::move(bytes).str());
}

std::shared_ptr<const ZoneRules> ZoneRules::read(std::string bytes) {
  std::shared_ptr<ZoneRules> rules(new ZoneRules(std::move(bytes)));
  return rules->index() ? rules : nullptr;
}

std::int64_t ZoneRules::number(std::size_t at, std::size_t bytes) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes_[at + i]);
  }
  return bytes == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
}

/// A file of version 2 and later holds all twice, and means the second block: the first has times
/// of 32 bits.
bool ZoneRules::index() {
  if (!bytes_.starts_with("TZif")) return false;
  if (!index_block(0, 4)) return false;
  if (bytes_[4] < '2') return is_sound();
  if (!index_block(end_at_, 8) || !is_sound()) return false;
  const std::string_view footer = std::string_view(bytes_).substr(end_at_);
  const auto line_end = footer.find('\n', 1);
  if (!footer.starts_with('\n') || line_end == std::string_view::npos) return false;
  if (line_end == 1) return true;
  rule_ = PosixRule::parse(footer.substr(1, line_end - 1));
  return rule_.has_value();
}

bool ZoneRules::index_block(std::size_t at, std::size_t time_bytes) {
  if (bytes_.size() < at + kHeaderBytes || bytes_.compare(at, 4, "TZif") != 0) return false;
  const auto count = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<std::uint32_t>(number(at + 20 + 4 * i, 4)));
  };
  const std::size_t leap_seconds = count(2);
  time_count_ = count(3);
  type_count_ = count(4);
  times_at_ = at + kHeaderBytes;
  types_at_ = times_at_ + time_count_ * time_bytes;
  offsets_at_ = types_at_ + time_count_;
  end_at_ = offsets_at_ + type_count_ * kTypeBytes + count(5) + leap_seconds * (time_bytes + 4) +
            count(1) + count(0);
  return leap_seconds == 0 && end_at_ <= bytes_.size();
}

/// So that nothing is looked at outside the file later, and a search finds its way.
bool ZoneRules::is_sound() const {
  if (type_count_ == 0) return false;
  for (std::size_t i = 0; i < type_count_; ++i) {
    if (std::abs(offset(i).count()) > kOffsetMax) return false;
  }
  for (std::size_t i = 0; i < time_count_; ++i) {
    if (static_cast<unsigned char>(bytes_[types_at_ + i]) >= type_count_) return false;
    if (i > 0 && time(i) <= time(i - 1)) return false;
  }
  return true;
}

sys_seconds ZoneRules::time(std::size_t i) const {
  const std::size_t bytes = (types_at_ - times_at_) / time_count_;
  return sys_seconds(seconds(number(times_at_ + i * bytes, bytes)));
}

seconds ZoneRules::offset(std::size_t type) const {
  return seconds(number(offsets_at_ + type * kTypeBytes, 4));
}

seconds ZoneRules::offset_from(std::size_t transition) const {
  return offset(static_cast<unsigned char>(bytes_[types_at_ + transition]));
}

OffsetSpan ZoneRules::at(sys_seconds instant) const {
  std::size_t low = 0;  // the transitions before it are not after the instant
  std::size_t high = time_count_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (time(middle) <= instant) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  OffsetSpan span;
  if (low > 0) span.begin = time(low - 1);
  if (low == time_count_ && rule_) {
    const OffsetSpan forever = rule_->at(instant);
    return {std::max(span.begin, forever.begin), forever.end, forever.offset};
  }
  if (low < time_count_) span.end = time(low);
  span.offset = low == 0 ? offset(0) : offset_from(low - 1);
  return span;
}

}  // namespace holdfast::schedule
