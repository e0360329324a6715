#pragma once

namespace holdfast::test {

/// A GO file of five terms, one obsolete one and six parents, as SQL. Columns have no types, so
/// that tests can put anything into them.
inline constexpr const char* kSmallGo = R"(
CREATE TABLE go_ontology (ontology, term_type);
INSERT INTO go_ontology VALUES ('universal', 'universal'), ('BP', 'biological_process'),
  ('MF', 'molecular_function'), ('CC', 'cellular_component');
CREATE TABLE go_term (_id, go_id, term, ontology, definition);
INSERT INTO go_term VALUES
  (11, 'GO:0000011', 'vacuole inheritance', 'BP', 'The distribution of vacuoles.'),
  (22, 'GO:0000022', 'organelle inheritance', 'BP', NULL),
  (33, 'GO:0000033', 'transferase activity', 'MF', 'Enables a transfer.'),
  (44, 'GO:0000044', 'vacuole', 'CC', 'A closed structure.'),
  (55, 'all', 'all', 'universal', NULL);
CREATE TABLE go_obsolete (go_id, term, ontology, definition);
INSERT INTO go_obsolete VALUES ('GO:0000066', 'obsolete thioredoxin', 'MF', 'OBSOLETE. A.');
CREATE TABLE go_synonym (_id, synonym, secondary, like_go_id);
INSERT INTO go_synonym VALUES (11, 'passing vacuoles on', NULL, 0),
  (11, 'GO:0000077', 'GO:0000077', 1), (44, 'vacuolar compartment', NULL, 0),
  (44, 'vacuolar compartment', NULL, 0);
CREATE TABLE go_bp_parents (_id, _parent_id, relationship_type);
INSERT INTO go_bp_parents VALUES (11, 22, 'isa'), (22, 55, 'isa'), (11, 55, 'regulates');
CREATE TABLE go_cc_parents (_id, _parent_id, relationship_type);
INSERT INTO go_cc_parents VALUES (44, 55, 'isa'), (44, 55, 'part of');
CREATE TABLE go_mf_parents (_id, _parent_id, relationship_type);
INSERT INTO go_mf_parents VALUES (33, 55, 'isa');
)";

}  // namespace holdfast::test
