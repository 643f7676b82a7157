-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the gate said of a sweep, so that one that failed is never a baseline; and what the two arms of a sweep are made of, so that
-- arms that are the same are known to be.

ALTER TABLE sweep ADD COLUMN gate_verdict TEXT
	CHECK (gate_verdict IN ('PASS', 'REGRESSION', 'INCONCLUSIVE', 'TOO_FEW_BASELINES', 'NOT_COMPARABLE', 'FAILED'));
ALTER TABLE sweep ADD COLUMN gate_why TEXT;
ALTER TABLE sweep ADD COLUMN gate_against TEXT;
ALTER TABLE leg ADD COLUMN emulator_sha256 TEXT;
ALTER TABLE leg ADD COLUMN kernel_sha256 TEXT;

INSERT INTO metric (table_name, column_name, type, unit, direction, combine, meaning) VALUES
('sweep', 'gate_verdict', 'TEXT', NULL, 'none', 'none', 'newest verdict of `iogap gate` on this sweep: PASS, REGRESSION, INCONCLUSIVE, TOO_FEW_BASELINES, NOT_COMPARABLE, FAILED; NULL = never judged'),
('sweep', 'gate_why', 'TEXT', NULL, 'none', 'none', 'the reason of gate_verdict in words'),
('sweep', 'gate_against', 'TEXT', NULL, 'none', 'none', 'what the sweep was held against'),
('leg', 'emulator_sha256', 'TEXT', NULL, 'none', 'none', 'SHA-256 of the QEMU program that the leg names; NULL = it names none, or it cannot be read'),
('leg', 'kernel_sha256', 'TEXT', NULL, 'none', 'none', 'the same for the kernel');
