-- SPDX-License-Identifier: GPL-2.0-or-later
-- Several guests that work at the same time. In legs of before it is NULL: one guest, which was alone.
ALTER TABLE leg ADD COLUMN guests INTEGER CHECK (guests > 0);
ALTER TABLE run ADD COLUMN all_guests_bytes_per_s REAL;
ALTER TABLE run ADD COLUMN all_guests_iops REAL;
ALTER TABLE run ADD COLUMN other_guests_bytes INTEGER;
ALTER TABLE run ADD COLUMN other_guests_cpu_ns INTEGER;

INSERT INTO metric (table_name, column_name, type, unit, direction, combine, meaning) VALUES
('leg', 'guests', 'INTEGER', NULL, 'none', 'none', 'guest: guests that do this load at the same time, each on a disk of its own; the figures of a run are the first one''s'),
('run', 'all_guests_bytes_per_s', 'REAL', 'bytes/s', 'higher', 'mean', 'sum of the rates of all guests that worked at the same time; NULL = there was one'),
('run', 'all_guests_iops', 'REAL', 'ops/s', 'higher', 'mean', 'sum of the operations per second of all of them'),
('run', 'other_guests_bytes', 'INTEGER', 'bytes', 'none', 'sum', 'read and written by the other guests in their measured time'),
('run', 'other_guests_cpu_ns', 'INTEGER', 'ns', 'none', 'sum', 'processor time of the QEMUs of the other guests while the first one was measured');
