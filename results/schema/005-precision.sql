-- SPDX-License-Identifier: GPL-2.0-or-later
-- Sweeps that end when their intervals are narrow enough.

ALTER TABLE sweep ADD COLUMN precision REAL CHECK (precision > 0);
ALTER TABLE sweep ADD COLUMN most_blocks INTEGER CHECK (most_blocks > 0);
ALTER TABLE sweep ADD COLUMN stopped TEXT CHECK (stopped IN ('reached', 'ceiling'));
ALTER TABLE sweep ADD COLUMN half_width REAL CHECK (half_width >= 0);
ALTER TABLE sweep ADD COLUMN wide_cells INTEGER CHECK (wide_cells >= 0);

INSERT INTO metric VALUES
('sweep', 'precision', 'REAL', NULL, 'none', 'none', 'half width of the 95 % interval of the mean ln(guest/host) that was asked for; NULL = every block was to be measured'),
('sweep', 'most_blocks', 'INTEGER', NULL, 'none', 'none', 'blocks that would have been measured at most; blocks then says how many were'),
('sweep', 'stopped', 'TEXT', NULL, 'none', 'none', 'why no more blocks were measured: reached (every cell is within precision), ceiling (most_blocks came first); NULL before the end'),
('sweep', 'half_width', 'REAL', NULL, 'lower', 'none', 'widest half width of any cell at the end, as of precision; NULL when a cell has fewer than 6 pairs'),
('sweep', 'wide_cells', 'INTEGER', NULL, 'lower', 'none', 'cells that were not within precision at the end, those with fewer than 6 pairs included');
