-- SPDX-License-Identifier: GPL-2.0-or-later
-- A host's legs say which scheduler their requests passed through, too.

UPDATE metric SET meaning = 'I/O scheduler of the disk in the guest; host run: of the disks below the target; NULL = none there, or not all the same one'
	WHERE table_name = 'run' AND column_name = 'seen_scheduler';
