#pragma once

#include "options.h"

namespace holdfast::cli {

void where(Session& session, const Options& options);
void init(Session& session, const Options& options);
void info(Session& session, const Options& options);
void doctor(Session& session, const Options& options);
void verify(Session& session, const Options& options);
void back_up(Session& session, const Options& options);
void restore_backup(Session& session, const Options& options);
void import_source(Session& session, const Options& options);
void export_rows(Session& session, const Options& options);

void create_space(Session& session, const Options& options);
void list_spaces(Session& session, const Options& options);
void show_space(Session& session, const Options& options);
void configure_space(Session& session, const Options& options);
void delete_space(Session& session, const Options& options);

void rename_entity(Session& session, const Options& options);
void retarget_edge(Session& session, const Options& options);
void neighbors(Session& session, const Options& options);
void traverse(Session& session, const Options& options);
void find_path(Session& session, const Options& options);
void declare_relation(Session& session, const Options& options);
void list_relations(Session& session, const Options& options);

void declare_key(Session& session, const Options& options);
void undeclare_key(Session& session, const Options& options);
void list_keys(Session& session, const Options& options);
void find_by_key(Session& session, const Options& options);

void list_projections(Session& session, const Options& options);
void show_projections(Session& session, const Options& options);
void rebuild_projection(Session& session, const Options& options);
void cancel_rebuild(Session& session, const Options& options);
void verify_projection(Session& session, const Options& options);

void create_model(Session& session, const Options& options);
void list_models(Session& session, const Options& options);
void show_model(Session& session, const Options& options);
void make_default_model(Session& session, const Options& options);
void drop_model(Session& session, const Options& options);

void show_indexes(Session& session, const Options& options);
void rebuild_index(Session& session, const Options& options);
void cancel_index(Session& session, const Options& options);
void verify_index(Session& session, const Options& options);
void compact_index(Session& session, const Options& options);
void list_failures(Session& session, const Options& options);
void embed(Session& session, const Options& options);
void find_similar(Session& session, const Options& options);

void remind(Session& session, const Options& options);
void add_event(Session& session, const Options& options);
void list_events(Session& session, const Options& options);
void show_scheduled(Session& session, const Options& options);
void list_attempts(Session& session, const Options& options);
void edit_event(Session& session, const Options& options);
void cancel_event(Session& session, const Options& options);
void retry_event(Session& session, const Options& options);
void show_agenda(Session& session, const Options& options);

void run_scheduler(Session& session, const Options& options);
void drain_scheduler(Session& session, const Options& options);
void show_scheduler(Session& session, const Options& options);
void report_heartbeat(Session& session, const Options& options);
void list_heartbeats(Session& session, const Options& options);
void show_health(Session& session, const Options& options);

void apply_plan(Session& session, const Options& options);
void check_plan(Session& session, const Options& options);
void begin(Session& session, const Options& options);
void show_request(Session& session, const Options& options);
void tail_journal(Session& session, const Options& options);
void show_event(Session& session, const Options& options);

/// The commands of one kind of row; `Kind` is one of those in row_kinds.h.
template <class Kind>
struct RowCommands {
  static void create(Session& session, const Options& options);
  static void get(Session& session, const Options& options);
  static void list(Session& session, const Options& options);
  static void update(Session& session, const Options& options);
  static void replace(Session& session, const Options& options);
  static void remove(Session& session, const Options& options);
  static void restore(Session& session, const Options& options);
  static void purge(Session& session, const Options& options);
  static void history(Session& session, const Options& options);
};

}  // namespace holdfast::cli
