-- One file a tenant. words holds the folded words of each section and no text.
CREATE TABLE section (
  id          INTEGER PRIMARY KEY,
  area        TEXT NOT NULL, -- the scope's database, '' for the default one
  collection  TEXT NOT NULL,
  source_path TEXT NOT NULL,
  position    INTEGER NOT NULL,
  hash        TEXT NOT NULL,
  title       TEXT NOT NULL,
  source_repo TEXT NOT NULL,
  date        TEXT NOT NULL, -- as written in the front matter
  tags        TEXT NOT NULL, -- a JSON array of strings
  body        TEXT NOT NULL, -- verbatim
  length      INTEGER NOT NULL, -- in words
  UNIQUE (area, collection, source_path, hash)
) STRICT;

CREATE VIRTUAL TABLE words USING fts5(
  title, tags, body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0'
);
INSERT INTO words (words, rank) VALUES ('rank', 'bm25(4.0, 2.0, 1.0)');

CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);

-- The sums that ranking needs, kept up by Put. It has one row.
CREATE TABLE total (
  sections INTEGER NOT NULL,
  length   INTEGER NOT NULL
) STRICT;
INSERT INTO total (sections, length) VALUES (0, 0);
