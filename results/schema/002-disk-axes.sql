-- SPDX-License-Identifier: GPL-2.0-or-later
-- Version 2: more of what a guest's disk can be. In legs of before these are NULL: not recorded.
ALTER TABLE leg ADD COLUMN physical_block_size INTEGER;
ALTER TABLE leg ADD COLUMN iothread_map INTEGER;
ALTER TABLE leg ADD COLUMN event_idx INTEGER CHECK (event_idx IN (0, 1));
ALTER TABLE leg ADD COLUMN packed INTEGER CHECK (packed IN (0, 1));
ALTER TABLE leg ADD COLUMN queue_size INTEGER CHECK (queue_size > 0);
ALTER TABLE leg ADD COLUMN discard TEXT;
ALTER TABLE leg ADD COLUMN rotation_rate INTEGER CHECK (rotation_rate > 0);

INSERT INTO metric (table_name, column_name, type, unit, direction, combine, meaning) VALUES
('leg', 'physical_block_size', 'INTEGER', 'bytes', 'none', 'none', 'guest: physical sector size that the guest is told'),
('leg', 'iothread_map', 'INTEGER', NULL, 'none', 'none', 'guest: I/O threads that the queues of the disk are dealt out to; 0 = none; NULL = does not apply'),
('leg', 'event_idx', 'INTEGER', NULL, 'none', 'none', 'guest: 1 = notifications are held back by event index; NULL = does not apply'),
('leg', 'packed', 'INTEGER', NULL, 'none', 'none', 'guest: 1 = packed virtqueues; NULL = does not apply'),
('leg', 'queue_size', 'INTEGER', NULL, 'none', 'none', 'guest: requests that a queue holds; NULL = the default of QEMU, or does not apply'),
('leg', 'discard', 'TEXT', NULL, 'none', 'none', 'guest: what QEMU does with discards: ignore, unmap'),
('leg', 'rotation_rate', 'INTEGER', 'rpm', 'none', 'none', 'guest: revolutions per minute that the disk claims, 1 = no moving parts; NULL = none');
