#pragma once

#include "options.h"

namespace holdfast::cli {

void where(Session& session, const Options& options);
void init(Session& session, const Options& options);
void info(Session& session, const Options& options);
void doctor(Session& session, const Options& options);
void verify(Session& session, const Options& options);
void neighbors(Session& session, const Options& options);
void declare_relation(Session& session, const Options& options);
void list_relations(Session& session, const Options& options);
void import_source(Session& session, const Options& options);

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
  static void history(Session& session, const Options& options);
};

}  // namespace holdfast::cli
