-- A section's vector by a model: 32-bit floats, little end first, of length one, and
-- the signs of its members, by which candidates are found. revision says when the row
-- was written, so that what is kept in memory reads what is new alone.
CREATE TABLE model (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  UNIQUE (name, dimensions)
) STRICT;

CREATE TABLE vector (
  section  INTEGER PRIMARY KEY,
  model    INTEGER NOT NULL REFERENCES model (id),
  revision INTEGER NOT NULL,
  signs    BLOB NOT NULL,
  members  BLOB NOT NULL
) STRICT;

CREATE INDEX vector_revision ON vector (revision);

-- Counts the transactions that wrote a vector. It has one row.
CREATE TABLE revision (vectors INTEGER NOT NULL) STRICT;
INSERT INTO revision (vectors) VALUES (0);
