#pragma once

namespace holdfast::test {

/// The statements of schema version 1, as files of that version were made by. A copy, so that what
/// migrations start from cannot change with the code.
inline constexpr const char* kFirstSchema[] = {
    "CREATE TABLE meta (version INTEGER NOT NULL CHECK (version >= 1),"
    " min_writer INTEGER NOT NULL CHECK (min_writer >= 1)) STRICT",
    "INSERT INTO meta (version, min_writer) VALUES (1, 1)",

    "CREATE TABLE spaces (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " last_seq INTEGER NOT NULL CHECK (last_seq >= 0), last_at INTEGER NOT NULL,"
    " settings TEXT NOT NULL, created_at INTEGER NOT NULL,"
    " revision INTEGER NOT NULL CHECK (revision >= 1), deleted_at INTEGER,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space),"
    " CHECK (length(CAST(space AS BLOB)) BETWEEN 1 AND 64)) STRICT",

    "CREATE TABLE events (space TEXT NOT NULL, seq INTEGER NOT NULL CHECK (seq >= 1),"
    " kind TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " stream_seq INTEGER NOT NULL CHECK (stream_seq >= 1),"
    " prev_seq INTEGER NOT NULL CHECK (prev_seq >= 0 AND prev_seq < seq),"
    " op TEXT NOT NULL, body TEXT, actor TEXT NOT NULL, request_id TEXT NOT NULL,"
    " at INTEGER NOT NULL, PRIMARY KEY (space, seq),"
    " UNIQUE (space, kind, id, stream_seq), UNIQUE (space, kind, id, prev_seq)) STRICT",

    "CREATE TABLE requests (space TEXT NOT NULL, request_id TEXT NOT NULL,"
    " digest BLOB NOT NULL CHECK (length(digest) = 32), answer TEXT NOT NULL,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), at INTEGER NOT NULL,"
    " PRIMARY KEY (space, request_id)) STRICT",
    "CREATE INDEX requests_at ON requests (space, at)",

    "CREATE TABLE entities (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " kind TEXT NOT NULL, name TEXT NOT NULL, properties TEXT NOT NULL, tags TEXT NOT NULL,"
    " merged_into BLOB CHECK (length(merged_into) = 16), created_at INTEGER NOT NULL,"
    " revision INTEGER NOT NULL CHECK (revision >= 1), deleted_at INTEGER,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, id)) STRICT",
    "CREATE INDEX entities_kind ON entities (space, kind, id)",
    "CREATE INDEX entities_name ON entities (space, name, id)",

    "CREATE TABLE relations (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " relation TEXT NOT NULL, symmetric INTEGER NOT NULL CHECK (symmetric IN (0, 1)),"
    " loops INTEGER NOT NULL CHECK (loops IN (0, 1)), source_kinds TEXT, target_kinds TEXT,"
    " created_at INTEGER NOT NULL, revision INTEGER NOT NULL CHECK (revision >= 1),"
    " deleted_at INTEGER, seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, id)) STRICT",
    "CREATE UNIQUE INDEX relations_live ON relations (space, relation) WHERE deleted_at IS NULL",

    "CREATE TABLE edges (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " source BLOB NOT NULL CHECK (length(source) = 16), relation TEXT NOT NULL,"
    " target BLOB NOT NULL CHECK (length(target) = 16), weight REAL NOT NULL,"
    " properties TEXT NOT NULL, valid_from INTEGER NOT NULL, valid_to INTEGER NOT NULL,"
    " deleted_with BLOB CHECK (length(deleted_with) = 16), created_at INTEGER NOT NULL,"
    " revision INTEGER NOT NULL CHECK (revision >= 1), deleted_at INTEGER,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, id),"
    " CHECK (valid_from < valid_to),"
    " CHECK (deleted_with IS NULL OR deleted_at IS NOT NULL)) STRICT",
    "CREATE UNIQUE INDEX edges_live ON edges (space, source, relation, target, valid_from)"
    " WHERE deleted_at IS NULL",
    "CREATE INDEX edges_in ON edges (space, target, relation, source, valid_from)"
    " WHERE deleted_at IS NULL",
    "CREATE INDEX edges_deleted_with ON edges (space, deleted_with, id)"
    " WHERE deleted_with IS NOT NULL",

    "CREATE TABLE hoods (space TEXT NOT NULL, entity BLOB NOT NULL CHECK (length(entity) = 16),"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, entity)) STRICT",

    "CREATE TABLE notes (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " kind TEXT NOT NULL, key TEXT, about BLOB CHECK (length(about) = 16),"
    " content TEXT NOT NULL, properties TEXT NOT NULL, tags TEXT NOT NULL,"
    " salience REAL NOT NULL, expires_at INTEGER NOT NULL, created_at INTEGER NOT NULL,"
    " revision INTEGER NOT NULL CHECK (revision >= 1), deleted_at INTEGER,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, id)) STRICT",
    "CREATE UNIQUE INDEX notes_key ON notes (space, key)"
    " WHERE deleted_at IS NULL AND key IS NOT NULL",
    "CREATE INDEX notes_kind ON notes (space, kind, id)",
    "CREATE INDEX notes_about ON notes (space, about, id) WHERE about IS NOT NULL",
};

}  // namespace holdfast::test
