#pragma once

#include <optional>
#include <string>
#include <vector>

#include <holdfast/storage/database.h>

namespace holdfast::cli {

struct GlobalOptions {
  std::optional<std::string> db;
  std::string space = "default";
  std::optional<std::string> actor;
  bool json = false;
  storage::Durability durability = storage::Durability::full;
};

/// A row's fields given as flags, as typed; document.h turns them into the document they stand for.
struct FieldOptions {
  std::optional<std::string> kind;
  std::optional<std::string> name;
  std::optional<std::string> key;
  std::optional<std::string> about;
  std::optional<std::string> content;
  std::optional<std::string> content_file;
  std::optional<std::string> source;
  std::optional<std::string> relation;
  std::optional<std::string> target;
  std::optional<std::string> weight;
  std::optional<std::string> salience;
  std::optional<std::string> valid_from;
  std::optional<std::string> valid_to;
  std::optional<std::string> expires_at;
  std::optional<std::string> properties;
  std::vector<std::string> tags;
};

/// What a list is filtered by, as typed.
struct FilterOptions {
  std::optional<std::string> kind;
  std::optional<std::string> name;
  std::optional<std::string> name_prefix;
  std::optional<std::string> relation;
  std::optional<std::string> source;
  std::optional<std::string> target;
  std::optional<std::string> valid_at;
  std::optional<std::string> key;
  std::optional<std::string> key_prefix;
  std::optional<std::string> about;
  std::vector<std::string> tags_any;
  std::vector<std::string> tags_all;
  std::vector<std::string> where;
  std::optional<std::string> created_from;
  std::optional<std::string> created_to;
  std::optional<std::string> changed_from;
  std::optional<std::string> changed_to;
  std::string deleted = "exclude";
  std::string direction = "both";
  bool include_expired = false;
};

/// How far a search over edges goes, as typed.
struct TraversalFlags {
  std::string direction = "outgoing";
  std::vector<std::string> relations;
  std::optional<std::string> hops;
  std::optional<std::string> per_hop;
  std::optional<std::string> budget;
};

/// What a space is set to, as typed; "none" takes a limit away.
struct SettingOptions {
  std::optional<std::string> relations;
  std::optional<std::string> rows_max;
  std::optional<std::string> bytes_max;
  std::optional<std::string> request_retention;
};

/// What is asked of the journal, as typed.
struct JournalOptions {
  std::optional<std::string> from;
  std::optional<std::string> kind;
  bool follow = false;
};

/// How a source is brought in or a space written out.
struct ExchangeOptions {
  std::string format;
  std::optional<std::string> source;  ///< a file or folder
  std::optional<std::string> mode;
  std::string on_conflict = "keep";
  bool no_tombstones = false;
  bool history = false;
};

/// A declared key or another projection, as typed.
struct ProjectionOptions {
  std::string path;
  std::string value;  ///< that a key is looked up by
  bool integer = false;
  bool restart = false;
  std::optional<std::string> batch;
  std::optional<std::string> lease;
};

/// How texts become vectors and how these are indexed, as typed.
struct ModelOptions {
  std::optional<std::string> dimension;
  std::optional<std::string> metric;
  std::optional<std::string> embedder;
  std::optional<std::string> embedder_name;
  std::optional<std::string> url;
  std::optional<std::string> embed_model;
  std::optional<std::string> key_env;
  std::optional<std::string> timeout;
  bool send_dimension = false;
  std::optional<std::string> gram_min;
  std::optional<std::string> gram_max;
  std::vector<std::string> sources;
  std::optional<std::string> chunk_chars;
  std::optional<std::string> chunk_overlap;
  std::optional<std::string> form;
  std::optional<std::string> m;
  std::optional<std::string> ef_construction;
  std::optional<std::string> ef;
  std::optional<std::string> exact_max;
  bool make_default = false;
  bool no_build = false;
  bool allow_failures = false;
  bool anew = false;
};

/// How vectors are brought up to date, as typed.
struct EmbedFlags {
  bool watch = false;
  bool retry_failed = false;
  std::vector<std::string> ids;
  std::optional<std::string> attempts;
  std::optional<std::string> requests_per_minute;
  std::optional<std::string> generation;  ///< whose failures are listed
};

/// What similar rows are looked for, as typed.
struct SimilarFlags {
  std::optional<std::string> text;
  std::optional<std::string> id;
  std::optional<std::string> vector;
  std::optional<std::string> vector_file;
  std::optional<std::string> generation;
  std::optional<std::string> model;
  std::optional<std::string> k;
  std::optional<std::string> ef;
  std::optional<std::string> rows;
  std::vector<std::string> ids;
  std::string stale = "exclude";
  bool exact = false;
};

/// When something is to happen and what, as typed.
struct ScheduleFlags {
  std::string text;                        ///< of a reminder
  std::optional<std::string> new_text;
  std::optional<std::string> payload;
  std::optional<std::string> at;
  std::optional<std::string> in;
  std::optional<std::string> repeat;
  std::optional<std::string> zone;
  std::optional<std::string> about;
  std::optional<std::string> action;
  std::optional<std::string> input;
  std::optional<std::string> plan;
  std::optional<std::string> catch_up;
  std::optional<std::string> grace;
  std::optional<std::string> max_attempts;
  std::optional<std::string> properties;
  std::optional<std::string> status;
  std::optional<std::string> kind;
  std::optional<std::string> range_from;
  std::optional<std::string> range_to;
  bool no_repeat = false;
  bool allow_past = false;
};

/// How a scheduler works, as typed.
struct SchedulerFlags {
  std::vector<std::string> spaces;
  std::vector<std::string> handlers;       ///< NAME=COMMAND
  std::optional<std::string> reminders;    ///< a command
  std::optional<std::string> threads;
  std::optional<std::string> lease;
  std::optional<std::string> tick;
  std::optional<std::string> stop_after;
};

/// What a channel reports, as typed.
struct HeartbeatFlags {
  std::optional<std::string> interval;
  std::optional<std::string> failed;
  std::optional<std::string> details;
};

/// What is said about the command line itself instead of carrying it out.
enum class Show { nothing, completion, manual };

/// Everything that a command line can say; each command reads what belongs to it.
struct Options {
  GlobalOptions global;
  /// Of the row that the command is about or starts at, or of a request.
  std::string id;
  /// Of a relation, space, key, projection or model, or an entity's new one.
  std::string name;
  std::string to;                         ///< the entity where a path ends
  std::string file;                       ///< of a plan, an export or a backup
  std::optional<std::string> request_id;
  std::optional<std::string> new_id;      ///< --id of a create
  std::optional<std::string> from;        ///< a document: a file's name or "-"
  std::optional<std::string> patch;       ///< a document, "@FILE" or "-"
  std::optional<std::string> revision;
  std::optional<std::string> deleted_at;
  std::optional<std::string> as_of;       ///< a sequence or a time
  FieldOptions fields;
  FilterOptions filter;
  TraversalFlags traversal;
  SettingOptions settings;
  JournalOptions journal;
  ExchangeOptions exchange;
  ProjectionOptions projection;
  ModelOptions model;
  EmbedFlags embed;
  SimilarFlags similar;
  ScheduleFlags schedule;
  SchedulerFlags scheduler;
  HeartbeatFlags heartbeat;
  std::vector<std::string> vector;        ///< that come with a row: MODEL=[...]
  std::optional<std::string> vectors;     ///< a document with them
  std::optional<std::string> limit;
  std::optional<std::string> cursor;
  bool count = false;
  bool expect = false;                    ///< also say what a plan may rest on
  bool symmetric = false;
  bool loops = false;
  std::vector<std::string> source_kinds;
  std::vector<std::string> target_kinds;
  bool dry_run = false;
  bool sizes = false;
  bool yes = false;
  Show show = Show::nothing;
  std::string shell;                      ///< that a completion is for
};

class Session;

/// A command prints its answer, and throws when it ends with another exit code than 0.
using Command = void (*)(Session&, const Options&);

}  // namespace holdfast::cli
