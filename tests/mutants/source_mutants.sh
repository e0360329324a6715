# shellcheck shell=bash disable=SC2016
# Single changes of the sources that some test must notice: see mutant() in run.

core=holdfast_core_tests
suites=holdfast_suites_tests
storage=holdfast_storage_tests
crash=holdfast_crash_tests
similar=holdfast_similar_tests
vectors=holdfast_vectors_tests

# --- numbers and limits ---

mutant 'the next revision is the one read' core/revision.cpp \
  'std::max(to_us(now), read.us + 1)' 'std::max(to_us(now), read.us + 0)' "$core" '*'
mutant 'the last revision but one is refused' core/revision.cpp \
  'read.us == std::numeric_limits<std::int64_t>::max()' \
  'read.us >= std::numeric_limits<std::int64_t>::max() - 1' "$core" '*'
mutant 'a JSON text of just 1 MiB is refused' core/json_rules.cpp \
  'text.size() > limits.bytes' 'text.size() >= limits.bytes' "$core" '*'
mutant 'a patch up to just 1 MiB is refused' core/merge_patch.cpp \
  'merged.size() > core::kJsonBytesMax' 'merged.size() >= core::kJsonBytesMax' "$core" '*'
mutant '65 levels of JSON are taken' core/json_rules.cpp \
  'open_.size() == depth_max_' 'open_.size() == depth_max_ + 1' "$core" '*'
mutant 'a name of just 1,024 bytes is refused' core/input.cpp \
  'text.empty() || text.size() > bytes_max' 'text.empty() || text.size() >= bytes_max' "$core" '*'
mutant 'content of just 1 MiB is refused' core/input.cpp \
  'text.size() > kContentBytesMax' 'text.size() >= kContentBytesMax' "$core" '*'
mutant 'a page of 10,000 is refused' core/input.cpp \
  'limit > kPageLimitMax' 'limit >= kPageLimitMax' "$suites" '[list]'

# --- the journal ---

mutant 'a sequence is left out' journal/appender.cpp \
  'last_seq_ = seq;' 'last_seq_ = seq + 1;' "$suites" '[journal]'
mutant 'a stream does not count on' journal/appender.cpp \
  'previous.stream_seq + 1' 'previous.stream_seq + 0' "$suites" '[journal]'
mutant 'events are dated by the clock alone' journal/appender.cpp \
  'std::max(now_, lock.get<Timestamp>(1))' 'now_' "$suites" '[journal]'
mutant 'the space forgets where it ends' journal/appender.cpp \
  'if (last_seq_ == first_seq_) return;' 'return;' "$suites" '[journal]'
mutant 'a row is committed before its event' journal/appender.cpp \
  '  if (insert.run() == 0) return false;' \
  '  transaction_.connection().execute("COMMIT");
  transaction_.connection().execute("BEGIN IMMEDIATE");
  if (insert.run() == 0) return false;' \
  "$crash" 'no power cut loses or splits an acknowledged write'
mutant 'a commit in doubt has no witness' journal/appender.cpp \
  '  transaction_.witness(storage::Witness{' '  static_cast<void>(storage::Witness{' \
  "$suites" '[journal]'

mutant 'a row as of a sequence is one too new' journal/journal.cpp \
  'if (found.seq <= seq) return found;' 'if (found.seq <= seq + 1) return found;' \
  "$suites" '[as_of]'
mutant 'a row as of a sequence is the version after it' journal/journal.cpp \
  'return event_at(transaction, space, found.prev_seq);' 'return found;' "$suites" '[as_of]'
mutant 'a time leaves out its own events' journal/journal.cpp \
  'select.get<Timestamp>(0) <= time' 'select.get<Timestamp>(0) < time' "$suites" '[as_of]'
mutant 'no time reaches the last event' journal/journal.cpp \
  'tail(transaction, space).seq + 1' 'tail(transaction, space).seq + 0' "$suites" '[as_of]'
mutant 'the feed begins with what was seen' journal/journal.cpp \
  'AND seq > $2 ORDER BY seq' 'AND seq >= $2 ORDER BY seq' "$suites" '[feed]'

# --- limits, purge, requests ---

mutant 'a space takes a row too many' journal/appender.cpp \
  'rows_ < *settings_.rows_max' 'rows_ <= *settings_.rows_max' "$suites" '[limit]'
mutant 'a space takes a byte too many' journal/appender.cpp \
  '<= *settings_.bytes_max)' '<= *settings_.bytes_max + 1)' "$suites" '[limit]'
mutant 'a space refuses the last byte that it has room for' journal/appender.cpp \
  '<= *settings_.bytes_max)' '< *settings_.bytes_max)' "$suites" '[limit]'
mutant 'rows of a full space cannot be purged' journal/appender.cpp \
  'change.op == "absorb" || !change.body' 'change.op == "delete"' "$suites" '[limit]'
mutant 'a purge makes no room for text' journal/appender.cpp \
  'body_bytes_ -= select.get' 'body_bytes_ -= 0 * select.get' "$suites" '[purge]'
mutant 'a purge makes no room for rows' journal/appender.cpp \
  '  blank.run();
  --rows_;' '  blank.run();' "$suites" '[purge]'
mutant 'a purged row is taken for one that never was' journal/row_body.cpp \
  'last->op == "purge"' 'last->op == "forgotten"' "$suites" '[purge]'
mutant 'a purge leaves incoming edges' graph/edge_store.cpp \
  'AND target = $2 ORDER BY id"' 'AND source = $2 ORDER BY id"' "$suites" '[purge]'
mutant 'an answer is kept only after its retention' journal/requests.cpp \
  '>= kept_since(appender)' '< kept_since(appender)' "$suites" '[request]'
mutant 'an answer is gone at the last moment of its retention' journal/requests.cpp \
  '>= kept_since(appender)' '> kept_since(appender)' "$suites" '[request]'
mutant 'old answers go with their ids' journal/requests.cpp \
  "UPDATE requests SET answer = '' WHERE" 'DELETE FROM requests WHERE' "$suites" '[request]'
mutant 'an answer is kept without its edges' space/answer.cpp \
  'if (!answer.edges.empty())' 'if (false)' "$suites" '[request]'
mutant 'a repeated update asks its function again' space/collection.cpp \
  'if (auto kept = kept_answer(options, id)) return std::move(*kept);' '' "$suites" '[request]'

# --- lists ---

mutant 'a range holds its end' journal/row_list.cpp \
  '" < $", *range.to' '" <= $", *range.to' "$suites" '[list]'
mutant 'a range leaves out its start' journal/row_list.cpp \
  '" >= $", *range.from' '" > $", *range.from' "$suites" '[list]'
mutant '10,000 rows left out are called a minimum' journal/row_list.cpp \
  'left_out > storage::kLeftOutCountMax' 'left_out >= storage::kLeftOutCountMax' \
  "$suites" '[list]'
mutant 'a cursor of another query is taken' storage/page.cpp \
  'if (tag != short_digest(query))' 'if (false)' "$suites" '[list]'

# --- edges ---

mutant 'an edge still holds at its end' graph/edge_store.cpp \
  'valid_from <= $ AND valid_to > $' 'valid_from <= $ AND valid_to >= $' "$suites" '[validity]'
mutant 'an edge does not hold at its start' graph/neighbors.cpp \
  'valid_from <= $ AND valid_to > $' 'valid_from < $ AND valid_to > $' "$suites" '[neighbors]'
mutant 'times that touch at the start overlap' graph/edge_rules.cpp \
  'AND valid_from < $5' 'AND valid_from <= $5' "$suites" '[validity]'
mutant 'times that touch at the end overlap' graph/edge_rules.cpp \
  'AND valid_to > $6' 'AND valid_to >= $6' "$suites" '[validity]'
mutant 'an empty interval is taken' graph/edge_store.cpp \
  '*edge.valid_to <= *edge.valid_from' '*edge.valid_to < *edge.valid_from' \
  "$suites" '[validity]'
mutant 'only the source is told of a change' graph/edge_rules.cpp \
  'if (edge.target == edge.source) return;' 'return;' "$suites" '[neighbors]'
mutant 'a symmetric edge is stored as it was given' graph/edge_rules.cpp \
  'if (declared && declared->symmetric &&' 'if (false && declared->symmetric &&' \
  "$suites" '[relation]'
mutant 'a deletion leaves incoming edges' graph/edge_store.cpp \
  'AND target = $2"' 'AND source = $2"' "$suites" '[cascade]'
mutant 'an edge is handed over to nobody' graph/edge_store.cpp \
  'next.deleted_with = other;' 'next.deleted_with = entity;' "$suites" '[cascade]'
mutant 'deleted edges do not freeze symmetry' graph/relation_store.cpp \
  'AND relation = $2 LIMIT 1' 'AND relation = $2 AND deleted_at IS NULL LIMIT 1' \
  "$suites" '[relation]'

mutant 'absorbing deletes the edge that was there' graph/edge_store.cpp \
  'return absorb(appender, *current, edge.revision, expected, std::move(*refusal->in_the_way));' \
  'const Edge there = *refusal->in_the_way;
    return absorb(appender, there, edge.revision, {there.revision, {}}, *current);' \
  "$suites" '[retarget]'
mutant 'a move tells only the ends that it reaches' graph/edge_store.cpp \
  'stamp_neighborhoods(appender, left);' '' "$suites" '[retarget]'
mutant 'a move to where the edge is writes it again' graph/edge_store.cpp \
  'if (has_the_same_place(*current, edge)) {' 'if (false) {' "$suites" '[retarget]'
mutant 'what edges come in does not keep a kind' graph/edge_rules.cpp \
  'if (excludes(2) && has_edge' 'if (false && has_edge' "$suites" '[relation_kinds]'
mutant 'a target is judged by the kinds of sources' graph/edge_rules.cpp \
  'fits(appender, declared->target_kinds, edge.target)' \
  'fits(appender, declared->source_kinds, edge.target)' "$suites" '[relation_kinds]'

# --- notes and spaces ---

mutant 'a note is listed when it has just expired' notes/note_store.cpp \
  'expires_at > $' 'expires_at >= $' "$suites" '[note]'
mutant 'a note is in the way of itself' notes/note_store.cpp \
  '!refused.current || refused.current->id == note.id' '!refused.current' "$suites" '[note]'
mutant 'an update tries once too often' space/collection.cpp \
  'tries < given.attempts_max' 'tries <= given.attempts_max' "$suites" '[update]'
mutant 'a replace may change the deletion mark' space/collection.cpp \
  'if (row.deleted_at != expected.deleted_at) {' 'if (false) {' "$suites" '[rows]'

mutant 'a space is not hidden before it is emptied' space/removal.cpp \
  'journal::hide_space(transaction, access.space, access.environment.clock.now());' \
  'static_cast<void>(transaction);' "$suites" '[space_removal]'
mutant 'a space is forgotten before it is empty' space/removal.cpp \
  'if (removed.count == 0) journal::forget_space' 'journal::forget_space' \
  "$suites" '[space_removal]'
mutant 'a migrated space counts characters' storage/sqlite/schema.cpp \
  'length(CAST(body AS BLOB))' 'length(body)' "$suites" '[migration]'

# --- storage ---

mutant 'full durability is not asked for' storage/sqlite/open.cpp \
  'const bool full = durability == Durability::full;' 'const bool full = false;' \
  "$crash" 'no power cut loses or splits an acknowledged write'
mutant 'a refused change of a batch stays' storage/batch.cpp \
  '        part->undo();' '        part->keep();' "$storage" '*'
mutant 'a commit in doubt is forgotten' storage/batch.cpp \
  'doubt_ ? settle() : ""' 'false ? settle() : ""' \
  "$crash" 'while the sync still fails the store refuses writes with Unavailable'
mutant 'a doubt is settled without a barrier' storage/batch.cpp \
  '    session_.write_barrier();' '' \
  "$crash" 'once a barrier commit works the store accepts writes again'
mutant 'a failed sync counts as a refusal' storage/sqlite/write_session.cpp \
  'return Kind::unsynced;' 'return Kind::refused;' \
  "$crash" 'a commit whose sync fails is answered with OutcomeUnknown and its request id'
mutant 'a checkpoint needs no lock' storage/sqlite/checkpoint.cpp \
  'if (!lock.is_held(LockFile::Byte::writer) || !lock.is_held(LockFile::Byte::checkpoint)) {' \
  'if (false && lock.is_held(LockFile::Byte::writer)) {' "$storage" '*'
mutant 'a writer does not take the lock' storage/sqlite/write_session.cpp \
  'lock_wait_ = lock_.lock(LockFile::Byte::writer, limits_.busy_limit);' '' "$storage" '*'
mutant 'a moved file is written to' storage/sqlite/write_session.cpp \
  'if (connection_.has_moved()) {' 'if (false) {' "$storage" '*'
mutant 'a holder of the lock never yields its turn' storage/sqlite/lock_file.cpp \
  '} else if (!has_turn(now)) {' '} else if (false) {' "$storage" '*'
mutant 'who waits longest does not take the lock' storage/sqlite/lock_file.cpp \
  '} else if (waiting.is_queued() && try_lock(byte)) {' '} else if (false) {' "$storage" '*'
mutant 'a backup overwrites what is there' storage/sqlite/backup.cpp \
  'RENAME_NOREPLACE) == 0' '0) == 0' "$storage" '*'
mutant 'a backup is not checked' storage/sqlite/backup.cpp \
  '  check(source, partial.path());' '' "$storage" '*'
mutant 'a log that cannot be read is passed over' storage/sqlite/read_only.cpp \
  '    if (log_has_content(options, place)) {' '    if (false) {' "$storage" '*'

# --- plans ---

mutant 'a plan stops looking at the first conflict' space/plan_look.cpp \
  'finish(i);
  }
}

Outcome PlanRun::look_at(std::size_t index) {' 'finish(i);
    if (!refused_.empty()) break;
  }
}

Outcome PlanRun::look_at(std::size_t index) {' "$suites" '[plan]'
mutant 'what rests on a refused step is made all the same' space/plan_run.cpp \
  '  if (rests_on_refused(index)) {
    result_.steps[index].outcome = Outcome::not_evaluated;
    return;
  }' '' "$suites" '[plan]'
mutant 'a step that an earlier one has changed is held against what was read' space/plan_run.cpp \
  'written_.contains(step.id) ? std::nullopt : step.expected' 'step.expected' "$suites" '[plan]'
mutant 'a refused plan shows rows that are not there' space/plan_apply.cpp \
  'if (step.is_conflict) continue;' 'continue;' "$suites" '[plan]'
mutant 'the answer of a plan is not kept unless its id was named' space/plan_run.h \
  'covers_several(const PlanResult&) { return true; }' \
  'covers_several(const PlanResult&) { return false; }' "$suites" '[plan]'

# --- transactions ---

mutant 'an absence is not tracked' space/transaction_reads.cpp \
  '        state.track(step_of(PlanOp::expect_absent, id));' '' "$suites" '[transact]'
mutant 'a row is not tracked' space/transaction_reads.cpp \
  '        track_row(state, *row);' '' "$suites" '[transact]'
mutant 'a free key of notes is not tracked' space/transaction_reads.cpp \
  '    state.track(std::move(absent));' '' "$suites" '[transact]'
mutant 'the rows of neighbours are not tracked' space/transaction_reads.cpp \
  'for (const Neighbor& one : found->items) track_row(state, one.entity);' '' \
  "$suites" '[transact]'
mutant 'a neighbourhood is not tracked' space/transaction_reads.cpp \
  '  read.seq = seq;
  state.track(std::move(read));' '  read.seq = seq;' "$suites" '[transact]'
mutant 'a page is not tracked' space/transaction_reads.cpp \
  '    read.digest = found.digest();
    state.track(std::move(read));' '' "$suites" '[transact]'
mutant 'what a note says of its subject is not tracked' space/transaction_reads.cpp \
  'step.about_is_deleted = note.about_is_deleted;' 'static_cast<void>(step);' "$suites" '[transact]'
mutant 'a digest leaves out revisions' space/list_answer.cpp \
  'std::to_string(row.revision.us)' 'std::string()' "$suites" '[transact]'
mutant 'a digest leaves out what own rows hold' space/list_answer.cpp \
  'return Store::body(row)' 'return to_string(row.id)' "$suites" '[transact]'
mutant 'a digest covers the times of own rows' space/list_answer.cpp \
  '  row.revision = {};
  row.deleted_at.reset();' '' "$suites" '[transact]'
mutant 'two reads may contradict each other' space/read_set.cpp \
  'return agree(steps_[place->second], read);' 'return true;' "$suites" '[transact]'
mutant 'own deletions of entities do not show in edges and notes' space/transaction_state.cpp \
  'takes_along_ = true;' 'takes_along_ = false;' "$suites" '[transact]'
mutant 'own changes do not show in lists' space/transaction_state.cpp \
  '  if (changed_kinds_.contains(kind)) return true;' '' "$suites" '[transact]'
mutant 'a run that was stopped is applied' space/transact.cpp \
  '    if (state.end != TransactionState::End::none) return stopped(state, made);' '' \
  "$suites" '[transact]'
mutant 'what a function throws comes out though its reads have moved' space/transact.cpp \
  'if (moved_.empty()) std::rethrow_exception(thrown);' 'std::rethrow_exception(thrown);' \
  "$suites" '[transact]'
mutant 'a function that throws is always run again' space/transact.cpp \
  'if (moved_.empty()) std::rethrow_exception(thrown);' '' "$suites" '[transact]'
mutant 'a request that was applied runs its function again' space/transact.cpp \
  '      if (auto kept = kept_answer()) return std::move(*kept);' '' "$suites" '[transact]'
mutant 'a token of a space made anew is taken' space/read_token.cpp \
  'token.made_at != row->created_at' 'false' "$suites" '[token]'
mutant 'a token of another space is taken' space/read_token.cpp \
  'token.space != row->id.uuid' 'false' "$suites" '[token]'
mutant 'a token of another line of history is taken' space/read_token.cpp \
  'token.event != mark_of(transaction, space, token.seq)' 'false' "$suites" '[token]'

# --- projections and keys ---

mutant 'a source names no sequence when it is read' journal/generation_writer.cpp \
  'read.derivation = {.kind = kind, .id = id, .as_of = as_of};' \
  'read.derivation = {.kind = kind, .id = id, .as_of = as_of + kForce - as_of};' "$suites" \
  '[projections]'
mutant 'rows are written without what is derived from them' journal/appender.cpp \
  'if (projections_ > 0) derive_from(change);' ';' "$suites" '[keys]'
mutant 'a watermark is the end of the walk' journal/projection_catalog.cpp \
  'watermark = walk_from' 'watermark = (SELECT max(seq) FROM events)' "$suites" \
  '[projections]'
mutant 'a rebuild does not ask whether it still has the lease' journal/rebuild.cpp \
  '    if (storage::renew_lease(transaction, lease_, site_.environment.clock.now(),' \
  '    if (true || storage::renew_lease(transaction, lease_, site_.environment.clock.now(),' \
  "$suites" '[projections]'
mutant 'a finished rebuild keeps its lease' journal/rebuild.cpp \
  'storage::release_lease(transaction, lease_);' ';' "$suites" '[projections]'
mutant 'a resumed walk begins anew' journal/generation_writer.cpp \
  'after = is_same_kind ?' 'after = is_same_kind && generation_.walked > 3 ?' "$suites" \
  '[projections]'
mutant 'an unchanged input is derived again' journal/generation_writer.cpp \
  'return read.derivation.input && !read.is_same &&' 'return read.derivation.input &&' \
  "$suites" '[projections]'
mutant 'a forced row stands for ever' journal/projection.cpp \
  'derivation.as_of == kForce ? source->seq : derivation.as_of' 'derivation.as_of' "$suites" \
  '[projections]'
mutant 'a key is served that its row does not have' graph/key_store.cpp \
  'if (!entity.deleted_at) {' 'return; if (!entity.deleted_at) {' \
  "$suites" '[keys]'
mutant 'a key that is being built is served' graph/key_store.cpp \
  "AND g.name = \$2 AND g.state = 'serving'" "AND g.name = \$2" "$suites" '[keys]'
mutant 'a refused key stays declared' journal/rebuild_end.cpp \
  '    undeclare_projection(transaction, space, generation.projection);' '    ;' "$suites" '[keys]'
mutant 'a generation that was dropped keeps its rows' journal/rebuild.cpp \
  'if (is_over) drop_old();' ';' "$suites" '[projections]'
mutant 'a failure is listed whatever has changed since' journal/projection.cpp \
  '  const auto source = registry.probe(transaction, space, of.kind, of.id);
' '  if (!derivation.failure.empty()) {
    list_failure(transaction, of, derivation.as_of, derivation.failure, now);
    return {DerivedOutcome::failed};
  }
  const auto source = registry.probe(transaction, space, of.kind, of.id);
' "$suites" '[projections]'
mutant 'a failure stays listed for ever' journal/projection.cpp \
  '  forget_failure(transaction, of);' '  ;' "$suites" '[projections]'
mutant 'what a write gives is not stored over equal input' journal/projection.cpp \
  ' && !derivation.is_given;' ';' "$suites" '[vectors]'
mutant 'a cancelled rebuild leaves its declaration' journal/rebuild_end.cpp \
  '    redeclare_projection(transaction, space, generation.projection, serving->declaration,
                         serving->options);' '    ;' "$suites" '[projections]'
mutant 'another declaration lets what is built by the old one go on' \
  journal/projection_catalog.cpp \
  'if (building && building->declaration.text() != declaration.text()) {' 'if (false) {' \
  "$suites" '[projections]'
mutant 'a generation is judged by the declaration that it was made by' \
  journal/projection_status.cpp \
  'signature(projection, declared.declaration);' 'signature(projection, generation.declaration);' \
  "$suites" '[projections]'
mutant 'what is written while a swap is prepared is not waited for' journal/rebuild.cpp \
  '    // It took its time.
    (void)follow();' '    ;' "$suites" '[projections]'
mutant 'a numbered generation comes back' journal/projection_catalog.cpp \
  'SET last_generation = last_generation + 1' 'SET last_generation = 1' "$suites" '[projections]'

# --- vectors ---

mutant 'a component that is not finite is taken' vectors/given_vectors.cpp \
  'if (squares <= kSquaresMax) return;' 'return;' "$suites" '[models],[vectors]~[slow]'
mutant 'a change is not numbered anew' vectors/vector_rows.cpp \
  'last_change(transaction, of) + 1);' \
  'last_change(transaction, of) + (last_change(transaction, of) == 0 ? 1 : 0));' \
  "$similar" '~[soak]'
mutant 'a source that loses its vectors is no change' vectors/vector_rows.cpp \
  'if (delete_vectors(transaction, of, kind, id) > 0) put_change' \
  'if (delete_vectors(transaction, of, kind, id) < 0) put_change' "$similar" '~[soak]'
mutant 'a search does not look at what changed behind the index' vectors/index_search.cpp \
  '    offer(changed);' '    ;' "$similar" '~[soak]'
mutant 'what changed is answered as the index has it' vectors/index_search.cpp \
  '        own_refused_[slot / 64] |= std::uint64_t{1} << (slot % 64);' '        (void)slot;' \
  "$similar" '~[soak]'
mutant 'a stale row is answered as current' vectors/index_judge.cpp \
  'return is_current ? Standing::current : Standing::stale;' 'return Standing::current;' \
  "$similar" '~[soak]'
mutant 'a row that is gone is answered' vectors/index_judge.cpp \
  'if (!row || !row->is_live) return Standing::gone;' 'if (!row) return Standing::gone;' \
  "$similar" '~[soak]'
mutant 'a search gives up when the graph has too few' vectors/index_search.cpp \
  'if (!is_found) scan_all();' ';' "$similar" '~[soak]'
mutant 'candidates are answered by their codes' vectors/index_search.cpp \
  'const float exact = exact_distance(query, candidate.slot);' \
  'const float exact = candidate.distance;' "$similar" '~[soak]'
mutant 'a vector of another generation is compared' vectors/query_vectors.cpp \
  'if (given.generation && *given.generation != serves) {' 'if (false) {' "$similar" '~[soak]'
mutant 'the file of a database that was put back is used' vectors/index_file.cpp \
  ' + " " + to_string(id)' '' "$similar" '~[soak]'
mutant 'what the graph misses is not looked at' vectors/segment.h \
  'for (const Slot slot : parts_.strays) {' 'for (const Slot slot : std::span<const Slot>()) {' \
  "$vectors" '~[soak]'
mutant 'a file is used whatever its checksum' vectors/segment_read.cpp \
  'if (checksum != kept) throw' 'if (false) throw' "$vectors" '~[soak]'
mutant 'equal vectors have edges of their own' vectors/hnsw_build.cpp \
  'if (hangs_on_equal(slot)) return false;' ';' "$vectors" '~[soak]'
mutant 'neighbours are the nearest, wherever they lie' vectors/hnsw_build.cpp \
  'if (std::none_of(chosen.begin(), chosen.end(), covers)) chosen.push_back(candidate);' \
  'chosen.push_back(candidate);' "$vectors" '~[soak]'
mutant 'a worker does not ask whether it still has the lease' space/embed_lease.cpp \
  '  if (!is_ours) lease_.reset();' '  is_ours = true;' "$suites" '[models],[vectors]'
mutant 'a transient failure is a text to be listed' vectors/reliable_embedder.cpp \
  'if (last.is(End::failed)) require_endpoint();
    if (count == 1)' 'if (count == 1)' "$vectors" '~[soak]'

# --- last, because nearly everything is built again for it ---

mutant 'sequences begin at 0' journal/include/holdfast/journal/appender.h \
  'return last_seq_ + 1;' 'return last_seq_ + 0;' "$suites" '[journal]'
