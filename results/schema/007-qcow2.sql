-- SPDX-License-Identifier: GPL-2.0-or-later
-- Version 7: what a qcow2 image is like. In legs and runs of before these are NULL: not recorded.
ALTER TABLE leg ADD COLUMN cluster_size INTEGER CHECK (cluster_size > 0);
ALTER TABLE leg ADD COLUMN preallocation TEXT;
ALTER TABLE leg ADD COLUMN backing INTEGER CHECK (backing >= 0);
ALTER TABLE leg ADD COLUMN extended_l2 INTEGER CHECK (extended_l2 IN (0, 1));
ALTER TABLE run ADD COLUMN seen_format TEXT;
ALTER TABLE run ADD COLUMN seen_cluster_size INTEGER;
ALTER TABLE run ADD COLUMN seen_backing INTEGER;
ALTER TABLE run ADD COLUMN seen_extended_l2 INTEGER CHECK (seen_extended_l2 IN (0, 1));

INSERT INTO metric (table_name, column_name, type, unit, direction, combine, meaning) VALUES
('leg', 'cluster_size', 'INTEGER', 'bytes', 'none', 'none', 'guest: bytes of a cluster of a qcow2 image; NULL = does not apply'),
('leg', 'preallocation', 'TEXT', NULL, 'none', 'none', 'guest: what a qcow2 image has of its own before data go in: off, metadata, falloc, full; NULL = does not apply'),
('leg', 'backing', 'INTEGER', NULL, 'none', 'none', 'guest: images below the qcow2 image that the guest opens; the lowest has the data; NULL = does not apply'),
('leg', 'extended_l2', 'INTEGER', NULL, 'none', 'none', 'guest: 1 = parts of the clusters of a qcow2 image are allocated one by one; NULL = does not apply'),
('run', 'seen_format', 'TEXT', NULL, 'none', 'none', 'guest run: format of the image, by the answer of QEMU (query-block)'),
('run', 'seen_cluster_size', 'INTEGER', 'bytes', 'none', 'none', 'guest run: bytes of a cluster of the qcow2 image, as QEMU read it from the image'),
('run', 'seen_backing', 'INTEGER', NULL, 'none', 'none', 'guest run: images below the one that QEMU opened for the guest'),
('run', 'seen_extended_l2', 'INTEGER', NULL, 'none', 'none', 'guest run: 1 = the qcow2 image has extended tables, as QEMU read it from the image');
