/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the format of the image cannot do. */
#include "harness/plan/refuse.h"

static gboolean qcow2(const Case *c)
{
	return IS(c->cell.disk.format, "qcow2");
}

static char *qcow2_needs_folder(const Case *c)
{
	gboolean device = !IS(c->target->type, "file") && !IS(c->target->type, "tmpfs") && !c->target->filesystem;

	if (!qcow2(c) || !device)
		return NULL;
	return g_strdup_printf("the target \"%s\" is a device, and a qcow2 image is a file beside the raw one; use a "
			       "target in a file system", c->target->name);
}

static char *raw_has_no(const Case *c, gboolean asked, const char *what)
{
	return asked && !qcow2(c) ? g_strdup_printf("a raw image has no %s; use format qcow2", what) : NULL;
}

static char *raw_clusters(const Case *c)
{
	return raw_has_no(c, matrix_number(c->combination, DIM_CLUSTER_SIZE, 0) != 65536, "clusters");
}

static char *raw_preallocation(const Case *c)
{
	if (qcow2(c) || IS(matrix_text(c->combination, DIM_PREALLOCATION), "off"))
		return NULL;
	return g_strdup("every byte of a raw image is written before anything is measured, so nothing is left to preallocate; use format "
			"qcow2");
}

static char *raw_backing(const Case *c)
{
	return raw_has_no(c, matrix_number(c->combination, DIM_BACKING, 0) > 0, "images below it");
}

static char *raw_extended(const Case *c)
{
	return raw_has_no(c, matrix_number(c->combination, DIM_EXTENDED_L2, 0), "tables that could be extended");
}

static char *cluster_is_power(const Case *c)
{
	guint size = c->cell.disk.cluster_size;

	return size & (size - 1) ? g_strdup("clusters are powers of two; use 512, 1k, 2k ... 2M") : NULL;
}

static char *small_clusters(const Case *c)
{
	const PlanDisk *d = &c->cell.disk;

	if (d->extended_l2 != 1 || d->cluster_size >= 16384)
		return NULL;
	return g_strdup("QEMU divides clusters of 16k and more only; use such a cluster_size");
}

static char *allocated_overlay(const Case *c)
{
	const PlanDisk *d = &c->cell.disk;

	if (d->backing <= 0 || IS(d->preallocation, "off") || d->extended_l2 == 1)
		return NULL;
	return g_strdup("QEMU refuses it: allocated clusters of the upper image would hide the data below; use extended_l2, or preallocation off");
}

const RefuseRow refuse_image[] = {
	{qcow2_needs_folder, {DIM_FORMAT, DIM_TARGET, DIM_NONE}},
	{raw_clusters, {DIM_CLUSTER_SIZE, DIM_FORMAT, DIM_NONE}},
	{raw_preallocation, {DIM_PREALLOCATION, DIM_FORMAT, DIM_NONE}},
	{raw_backing, {DIM_BACKING, DIM_FORMAT, DIM_NONE}},
	{raw_extended, {DIM_EXTENDED_L2, DIM_FORMAT, DIM_NONE}},
	{cluster_is_power, {DIM_CLUSTER_SIZE, DIM_NONE}},
	{small_clusters, {DIM_EXTENDED_L2, DIM_CLUSTER_SIZE, DIM_NONE}},
	{allocated_overlay, {DIM_PREALLOCATION, DIM_BACKING, DIM_EXTENDED_L2, DIM_NONE}},
	{NULL, {DIM_NONE}},
};
