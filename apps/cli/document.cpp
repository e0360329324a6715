#include "document.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/core/limits.h>

#include "model_flags.h"
#include "text.h"

namespace holdfast::cli {
namespace {

// A row's content and tags take six times their bytes when every character is an escape.
constexpr std::size_t kSourceBytesMax = std::size_t{16} << 20U;
constexpr JsonLimits kDocumentLimits{.bytes = kSourceBytesMax, .depth = core::kJsonDepthMax + 2};
// {"steps":[{"row":{"properties":...
constexpr JsonLimits kPlanLimits{.bytes = kSourceBytesMax, .depth = core::kJsonDepthMax + 4};

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string read_all(std::string_view field, const std::string& name, std::FILE* file) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file)) {
    text.append(buffer.data(), got);
    if (text.size() > kSourceBytesMax) {
      throw InvalidArgument(std::string(field), name, "hold at most 16 MiB");
    }
  }
  if (std::ferror(file) != 0) {
    throw Unavailable("cannot read " + name + ": " + std::strerror(errno));
  }
  return text;
}

double parse_real(std::string_view field, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw InvalidArgument(std::string(field), text, "be a number");
  }
  core::check_finite(field, value);
  return value;
}

/// Builds a document from flags; absent ones are left out.
class FlagWriter {
 public:
  void text(const char* field, const std::optional<std::string>& value) {
    if (!value) return;
    if (!core::is_text(*value)) throw InvalidArgument(field, *value, "be UTF-8 without U+0000");
    out_.string(field, *value);
  }
  void real(const char* field, const std::optional<std::string>& value) {
    if (value) out_.real(field, parse_real(field, *value));
  }
  void time(const char* field, const std::optional<std::string>& value) {
    if (value) out_.integer(field, to_us(parse_timestamp(field, *value)));
  }
  void object(const char* field, const std::optional<std::string>& value) {
    if (value) out_.raw(field, JsonObject::parse(field, *value).text());
  }
  void texts(const char* field, const std::vector<std::string>& values) {
    if (values.empty()) return;
    std::vector<std::string> items;
    for (const std::string& value : values) {
      if (!core::is_text(value)) throw InvalidArgument(field, value, "be UTF-8 without U+0000");
      items.push_back(json_string(value));
    }
    out_.raw(field, json_array(items));
  }
  // What the limits on documents would refuse here, a long content, the row's own limits allow.
  JsonObject finish() { return JsonObject::trusted(out_.finish()); }

 private:
  core::JsonWriter out_;
};

constexpr std::array kStoredFields = {"id",  "created_at",  "revision",     "deleted_at",
                                      "seq", "merged_into", "deleted_with", "about_is_deleted"};

}  // namespace

std::string read_source(std::string_view field, const std::string& name) {
  if (name == "-") return read_all(field, "standard input", stdin);
  const std::unique_ptr<std::FILE, Close> file(std::fopen(name.c_str(), "rb"));
  if (file) return read_all(field, name, file.get());
  if (errno == ENOENT) throw NotFound("file", name);
  throw Unavailable("cannot open " + name + ": " + std::strerror(errno));
}

JsonObject read_document(std::string_view field, const std::string& name) {
  return JsonObject::parse(field, read_source(field, name), kDocumentLimits);
}

JsonObject read_plan_document(const std::string& name) {
  return JsonObject::parse("plan", read_source("plan", name), kPlanLimits);
}

JsonObject read_argument(std::string_view field, const std::string& argument) {
  if (argument == "-") return read_document(field, argument);
  if (argument.starts_with('@')) return read_document(field, argument.substr(1));
  return JsonObject::parse(field, argument, kDocumentLimits);
}

bool names(const JsonObject& document, std::string_view field) {
  const auto members = document.members();
  return std::any_of(members.begin(), members.end(),
                     [&](const JsonMember& member) { return member.key == field; });
}

JsonObject fields_document(const FieldOptions& fields) {
  FlagWriter out;
  out.text("kind", fields.kind);
  out.text("name", fields.name);
  out.text("source", fields.source);
  out.text("relation", fields.relation);
  out.text("target", fields.target);
  out.time("valid_from", fields.valid_from);
  out.time("valid_to", fields.valid_to);
  out.real("weight", fields.weight);
  out.text("key", fields.key);
  out.text("about", fields.about);
  out.text("content", fields.content);
  if (fields.content_file) out.text("content", read_source("content_file", *fields.content_file));
  out.real("salience", fields.salience);
  out.time("expires_at", fields.expires_at);
  out.texts("tags", fields.tags);
  out.object("properties", fields.properties);
  return out.finish();
}

RowDocument read_row_document(const std::string& name) {
  const JsonObject document = read_document("from", name);
  RowDocument row;
  core::JsonWriter fields;
  core::JsonWriter stored;
  for (const JsonMember& member : document.members()) {
    const bool is_stored =
        std::find(kStoredFields.begin(), kStoredFields.end(), member.key) != kStoredFields.end();
    (is_stored ? stored : fields).raw(member.key, member.value);
    if (member.key == "revision") row.revision = Revision{core::integer_field(member)};
    if (member.key == "deleted_at") row.deleted_at = core::optional_time_field(member);
  }
  row.fields = JsonObject::trusted(fields.finish());
  row.stored = JsonObject::trusted(stored.finish());
  return row;
}

Revision parse_revision(std::string_view text) {
  return {to_us(parse_timestamp("revision", text))};
}

std::uint64_t parse_whole(std::string_view field, std::string_view text, std::string_view rule) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw InvalidArgument(std::string(field), std::string(text), std::string(rule));
  }
  return value;
}

WriteOptions write_options(const Options& options) {
  WriteOptions write{.request_id = {}, .vectors = given_vectors(options)};
  if (options.request_id) write.request_id = core::check_request_id(*options.request_id);
  return write;
}

PageRequest page_request(const Options& options) {
  PageRequest page;
  if (options.limit) {
    page.limit = parse_whole("limit", *options.limit, "be a number from 1 to 10,000");
  }
  if (options.cursor && options.cursor->empty()) {
    throw InvalidArgument("cursor", "", "be one that a page before gave");
  }
  page.cursor = options.cursor.value_or("");
  return page;
}

}  // namespace holdfast::cli
