-- SPDX-License-Identifier: GPL-2.0-or-later
-- The tests of files that a run of bonnie++ makes beside those of bytes.

ALTER TABLE run ADD COLUMN seq_create_per_s REAL CHECK (seq_create_per_s > 0);
ALTER TABLE run ADD COLUMN seq_stat_per_s REAL CHECK (seq_stat_per_s > 0);
ALTER TABLE run ADD COLUMN seq_delete_per_s REAL CHECK (seq_delete_per_s > 0);
ALTER TABLE run ADD COLUMN ran_create_per_s REAL CHECK (ran_create_per_s > 0);
ALTER TABLE run ADD COLUMN ran_stat_per_s REAL CHECK (ran_stat_per_s > 0);
ALTER TABLE run ADD COLUMN ran_delete_per_s REAL CHECK (ran_delete_per_s > 0);

INSERT INTO metric VALUES
('run', 'seq_create_per_s', 'REAL', 'files/s', 'higher', 'mean', 'bonnie++: files made in the order of their names, in the same run of the program as this figure; NULL = not told, or ended too fast to be timed'),
('run', 'seq_stat_per_s', 'REAL', 'files/s', 'higher', 'mean', 'the same: their metadata read in that order'),
('run', 'seq_delete_per_s', 'REAL', 'files/s', 'higher', 'mean', 'the same: deleted in that order'),
('run', 'ran_create_per_s', 'REAL', 'files/s', 'higher', 'mean', 'the same: files made in random order'),
('run', 'ran_stat_per_s', 'REAL', 'files/s', 'higher', 'mean', 'the same: their metadata read in random order'),
('run', 'ran_delete_per_s', 'REAL', 'files/s', 'higher', 'mean', 'the same: deleted in random order');
