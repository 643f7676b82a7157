-- SPDX-License-Identifier: GPL-2.0-or-later
-- What keeps a leg apart from the rest of the host: memory for the cache, processors, memory of the guest, clock. In legs of before these are
-- NULL: nothing was asked for.
ALTER TABLE leg ADD COLUMN host_cache_limit INTEGER CHECK (host_cache_limit > 0);
ALTER TABLE leg ADD COLUMN pin_vcpu TEXT;
ALTER TABLE leg ADD COLUMN pin_iothread TEXT;
ALTER TABLE leg ADD COLUMN pin_emulator TEXT;
ALTER TABLE leg ADD COLUMN pin_load TEXT;
ALTER TABLE leg ADD COLUMN numa TEXT;
ALTER TABLE leg ADD COLUMN hugepages INTEGER CHECK (hugepages > 0);
ALTER TABLE leg ADD COLUMN governor TEXT;
ALTER TABLE leg ADD COLUMN turbo TEXT;
ALTER TABLE run ADD COLUMN seen_host_cache_limit INTEGER;
ALTER TABLE run ADD COLUMN seen_pin_vcpu TEXT;
ALTER TABLE run ADD COLUMN seen_pin_iothread TEXT;
ALTER TABLE run ADD COLUMN seen_pin_emulator TEXT;
ALTER TABLE run ADD COLUMN seen_pin_worker TEXT;
ALTER TABLE run ADD COLUMN seen_pin_load TEXT;
ALTER TABLE run ADD COLUMN seen_numa TEXT;
ALTER TABLE run ADD COLUMN seen_hugepages INTEGER;
ALTER TABLE run ADD COLUMN seen_governor TEXT;
ALTER TABLE run ADD COLUMN seen_turbo TEXT;

INSERT INTO metric (table_name, column_name, type, unit, direction, combine, meaning) VALUES
('leg', 'host_cache_limit', 'INTEGER', 'bytes', 'none', 'none', 'memory that the guests'' QEMU and the host''s load may have together, page cache included; NULL = no limit'),
('leg', 'pin_vcpu', 'TEXT', NULL, 'none', 'none', 'guest: processors asked for its vCPUs, one list for all or one for each with / between; NULL = any'),
('leg', 'pin_iothread', 'TEXT', NULL, 'none', 'none', 'guest: processors asked for its I/O threads; NULL = any'),
('leg', 'pin_emulator', 'TEXT', NULL, 'none', 'none', 'guest: processors asked for the main loop of QEMU and its workers; NULL = any'),
('leg', 'pin_load', 'TEXT', NULL, 'none', 'none', 'processors asked for the load of the host''s leg; NULL = any'),
('leg', 'numa', 'TEXT', NULL, 'none', 'none', 'guest: NUMA nodes asked for its memory; NULL = any'),
('leg', 'hugepages', 'INTEGER', 'bytes', 'none', 'none', 'guest: size asked for of the huge pages of its memory; NULL = ordinary pages'),
('leg', 'governor', 'TEXT', NULL, 'none', 'none', 'frequency governor asked for on the host; NULL = left as it was'),
('leg', 'turbo', 'TEXT', NULL, 'none', 'none', 'frequencies above the nominal one of the host: on, off; NULL = left as they were'),
('run', 'seen_host_cache_limit', 'INTEGER', 'bytes', 'none', 'none', 'smallest memory limit of the control groups of the process that did the I/O on the host; NULL = none'),
('run', 'seen_pin_vcpu', 'TEXT', NULL, 'none', 'none', 'guest run: processors that the vCPU threads were allowed, by the kernel; one list when all had the same, else each with / between'),
('run', 'seen_pin_iothread', 'TEXT', NULL, 'none', 'none', 'guest run: processors that any I/O thread was allowed; NULL = there was none'),
('run', 'seen_pin_emulator', 'TEXT', NULL, 'none', 'none', 'guest run: processors that the main loop of QEMU was allowed'),
('run', 'seen_pin_worker', 'TEXT', NULL, 'none', 'none', 'guest run: processors that any worker thread of QEMU was allowed; NULL = there was none'),
('run', 'seen_pin_load', 'TEXT', NULL, 'none', 'none', 'host run: processors that the load was allowed'),
('run', 'seen_numa', 'TEXT', NULL, 'none', 'none', 'guest run: NUMA nodes that the memory of the guest was bound to, or the word of the kernel''s policy where it was not bound; looked at where numa or hugepages was asked for'),
('run', 'seen_hugepages', 'INTEGER', 'bytes', 'none', 'none', 'guest run: size of the pages that the memory of the guest was made of; looked at as above'),
('run', 'seen_governor', 'TEXT', NULL, 'none', 'none', 'frequency governor of the host after the run, each that occurs; looked at where the leg asks for governor or turbo'),
('run', 'seen_turbo', 'TEXT', NULL, 'none', 'none', 'whether frequencies above the nominal one were on or off after the run; looked at likewise');
