-- SPDX-License-Identifier: GPL-2.0-or-later
-- Idle processors clock down: the fastest one tells whether those that work were slowed down.

UPDATE metric SET meaning = 'frequency of the host''s fastest processor during the run, mean of the readings (older runs: of all processors, at its end); NULL = this machine does not tell'
	WHERE table_name = 'run' AND column_name = 'host_khz';
UPDATE metric SET meaning = 'frequency that this processor keeps up under any load'
	WHERE table_name = 'run' AND column_name = 'host_base_khz';
