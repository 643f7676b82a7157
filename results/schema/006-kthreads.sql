-- SPDX-License-Identifier: GPL-2.0-or-later
-- The kernel's own threads are neither the run nor others.

ALTER TABLE run ADD COLUMN host_kthread_ns INTEGER;

INSERT INTO metric VALUES
('run', 'host_kthread_ns', 'INTEGER', 'ns', 'lower', 'sum', 'processor time of the kernel''s own threads on the host meanwhile (loop devices, queues, file systems, writeback, reclaim), whoever they worked for');
