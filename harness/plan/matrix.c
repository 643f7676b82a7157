/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/plan/matrix.h"

/* Section and key of every dimension. */
static const struct {
	const char *section, *key;
} names[] = {
	[DIM_TARGET] = {"rule", "target"},
	[DIM_RW] = {"workload", "rw"},
	[DIM_MIX_READ] = {"workload", "mix_read"},
	[DIM_BLOCK_SIZE] = {"workload", "block_size"},
	[DIM_DIRECT] = {"workload", "direct"},
	[DIM_SYNC] = {"workload", "sync"},
	[DIM_FSYNC_EVERY] = {"workload", "fsync_every"},
	[DIM_QUEUE_DEPTH] = {"workload", "queue_depth"},
	[DIM_JOBS] = {"workload", "jobs"},
	[DIM_ENGINE] = {"workload", "engine"},
	[DIM_RATE] = {"workload", "rate"},
	[DIM_BUS] = {"guest", "bus"},
	[DIM_CACHE] = {"guest", "cache"},
	[DIM_IO] = {"guest", "io"},
	[DIM_IOTHREAD] = {"guest", "iothread"},
	[DIM_IOTHREAD_MAP] = {"guest", "iothread_map"},
	[DIM_IOEVENTFD] = {"guest", "ioeventfd"},
	[DIM_EVENT_IDX] = {"guest", "event_idx"},
	[DIM_PACKED] = {"guest", "packed"},
	[DIM_QUEUE_SIZE] = {"guest", "queue_size"},
	[DIM_QUEUES] = {"guest", "queues"},
	[DIM_FORMAT] = {"guest", "format"},
	[DIM_CLUSTER_SIZE] = {"guest", "cluster_size"},
	[DIM_PREALLOCATION] = {"guest", "preallocation"},
	[DIM_BACKING] = {"guest", "backing"},
	[DIM_EXTENDED_L2] = {"guest", "extended_l2"},
	[DIM_LOGICAL_BLOCK_SIZE] = {"guest", "logical_block_size"},
	[DIM_PHYSICAL_BLOCK_SIZE] = {"guest", "physical_block_size"},
	[DIM_DISCARD] = {"guest", "discard"},
	[DIM_ROTATION_RATE] = {"guest", "rotation_rate"},
	[DIM_IOPS_LIMIT] = {"guest", "iops_limit"},
	[DIM_GUEST_SCHEDULER] = {"guest", "scheduler"},
	[DIM_VCPUS] = {"guest", "vcpus"},
	[DIM_MEMORY] = {"guest", "memory"},
	[DIM_MACHINE] = {"guest", "machine"},
	[DIM_KERNEL] = {"guest", "kernel"},
	[DIM_IMAGE] = {"guest", "image"},
	[DIM_EMULATOR] = {"guest", "emulator"},
	[DIM_GUESTS] = {"guest", "guests"},
	[DIM_PIN_VCPU] = {"guest", "pin_vcpu"},
	[DIM_PIN_IOTHREAD] = {"guest", "pin_iothread"},
	[DIM_PIN_EMULATOR] = {"guest", "pin_emulator"},
	[DIM_NUMA] = {"guest", "numa"},
	[DIM_HUGEPAGES] = {"guest", "hugepages"},
	[DIM_GOVERNOR] = {"host", "governor"},
	[DIM_TURBO] = {"host", "turbo"},
	[DIM_PIN_LOAD] = {"host", "pin_load"},
	[DIM_HOST_SCHEDULER] = {"host", "scheduler"},
	[DIM_HOST_CACHE_LIMIT] = {"host", "host_cache_limit"},
};
G_STATIC_ASSERT(G_N_ELEMENTS(names) == DIM_COUNT);

const ProfileKey *matrix_row(MatrixDim dim)
{
	/* Looked up once: the planner asks some hundred times for each combination. */
	static const ProfileKey *rows[DIM_COUNT];

	if (!rows[dim])
		rows[dim] = profile_key(names[dim].section, names[dim].key);
	return rows[dim];
}

guint64 matrix_number(const Combination *combination, MatrixDim dim, guint64 fallback)
{
	return profile_number(matrix_row(dim), combination->dims[dim].value, fallback);
}

const char *matrix_text(const Combination *combination, MatrixDim dim)
{
	return combination->dims[dim].value;
}

static MatrixDim dim_of(const ProfileKey *row)
{
	for (guint i = 0; i < DIM_COUNT; i++)
		if (matrix_row(i) == row)
			return i;
	g_error("the key %s of section %s is no dimension of the matrix", row->key, row->section);
}

Combination matrix_arm(const Combination *combination, const ProfileArm *arm)
{
	Combination changed = *combination;

	for (guint i = 0; i < arm->axes->len; i++) {
		const ProfileAxis *axis = g_ptr_array_index(arm->axes, i);

		changed.dims[dim_of(axis->row)].value = g_intern_string(g_ptr_array_index(axis->values, 0));
	}
	return changed;
}

/* Values of each dimension, of MatrixValue. */
typedef struct {
	GArray *values[DIM_COUNT];
} Axes;

static void axes_clear(Axes *axes)
{
	for (guint i = 0; i < DIM_COUNT; i++)
		g_clear_pointer(&axes->values[i], g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Axes, axes_clear)

static GArray *values_new(void)
{
	return g_array_new(FALSE, FALSE, sizeof(MatrixValue));
}

static void values_add(GArray *values, const char *text, ProfilePlace place)
{
	MatrixValue value = {g_intern_string(text), place};

	g_array_append_val(values, value);
}

static GArray *values_of(const ProfileAxis *axis)
{
	GArray *values = values_new();

	for (guint i = 0; i < axis->values->len; i++)
		values_add(values, g_ptr_array_index(axis->values, i), g_array_index(axis->places, ProfilePlace, i));
	return values;
}

static Axes axes_of(const Profile *profile)
{
	Axes axes = {{NULL}};

	axes.values[DIM_TARGET] = values_new();
	for (guint i = 0; i < profile->targets->len; i++) {
		const ProfileTarget *target = g_ptr_array_index(profile->targets, i);

		values_add(axes.values[DIM_TARGET], target->name, target->place);
	}
	for (guint s = 0; s < G_N_ELEMENTS(profile->axes); s++)
		for (guint i = 0; i < profile->axes[s]->len; i++) {
			const ProfileAxis *axis = g_ptr_array_index(profile->axes[s], i);

			axes.values[dim_of(axis->row)] = values_of(axis);
		}
	return axes;
}

/* Appends every combination of one value of each dimension to OUT; FALSE when they would be too many. */
static gboolean product(const Axes *axes, GArray *out)
{
	guint64 count = 1;

	for (guint d = 0; d < DIM_COUNT; d++) {
		count *= axes->values[d]->len;
		if (count + out->len > MATRIX_MAX)
			return FALSE;
	}
	for (guint64 n = 0; n < count; n++) {
		Combination combination;
		guint64 rest = n;

		for (guint d = DIM_COUNT; d-- > 0;) {
			const GArray *values = axes->values[d];

			combination.dims[d] = g_array_index(values, MatrixValue, rest % values->len);
			rest /= values->len;
		}
		g_array_append_val(out, combination);
	}
	return TRUE;
}

static gboolean too_many(const Profile *profile, ProfilePlace place, GError **error)
{
	profile_error(error, profile->file, place,
		"the matrix has more than %d combinations; take axes apart into several profiles", MATRIX_MAX);
	return FALSE;
}

static gboolean axis_matches(const ProfileAxis *axis, const Combination *combination)
{
	const char *value = combination->dims[dim_of(axis->row)].value;

	for (guint i = 0; i < axis->values->len; i++)
		if (g_str_equal(g_ptr_array_index(axis->values, i), value))
			return TRUE;
	return FALSE;
}

/* A rule as text, for messages: "bus=sata|ide rw=read". */
static char *rule_text(const ProfileRule *rule)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < rule->axes->len; i++) {
		const ProfileAxis *axis = g_ptr_array_index(rule->axes, i);

		g_string_append_printf(text, "%s%s=", i ? " " : "", axis->key);
		for (guint v = 0; v < axis->values->len; v++)
			g_string_append_printf(text, "%s%s", v ? "|" : "", (char *)g_ptr_array_index(axis->values, v));
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static gboolean exclude(const Profile *profile, const ProfileRule *rule, GArray *combinations, GError **error)
{
	g_autofree char *text = NULL;
	guint kept = 0;
	gboolean found;

	for (guint c = 0; c < combinations->len; c++) {
		const Combination *combination = &g_array_index(combinations, Combination, c);
		gboolean matches = TRUE;

		for (guint i = 0; i < rule->axes->len && matches; i++)
			matches = axis_matches(g_ptr_array_index(rule->axes, i), combination);
		if (!matches)
			g_array_index(combinations, Combination, kept++) = *combination;
	}
	found = kept < combinations->len;
	g_array_set_size(combinations, kept);
	if (found)
		return TRUE;
	text = rule_text(rule);
	profile_error(error, profile->file, rule->place,
		"this entry of exclude takes nothing out: no combination is left that has %s", text);
	return FALSE;
}

/* The profile gives this dimension itself, so an include entry may only add to it, not change it. */
static gboolean is_given(const Axes *axes, MatrixDim dim)
{
	return g_array_index(axes->values[dim], MatrixValue, 0).place.line > 0;
}

/* COMBINATION with every value of the rule's free keys. FALSE when there would be too many. */
static gboolean extend_one(const ProfileRule *rule, const Axes *axes, const Combination *combination, GArray *out)
{
	g_auto(Axes) one = {{NULL}};

	for (guint d = 0; d < DIM_COUNT; d++) {
		one.values[d] = values_new();
		g_array_append_val(one.values[d], combination->dims[d]);
	}
	for (guint i = 0; i < rule->axes->len; i++) {
		const ProfileAxis *axis = g_ptr_array_index(rule->axes, i);
		MatrixDim dim = dim_of(axis->row);

		if (!is_given(axes, dim)) {
			g_array_unref(one.values[dim]);
			one.values[dim] = values_of(axis);
		}
	}
	return product(&one, out);
}

static gboolean rule_matches(const ProfileRule *rule, const Axes *axes, const Combination *combination)
{
	for (guint i = 0; i < rule->axes->len; i++) {
		const ProfileAxis *axis = g_ptr_array_index(rule->axes, i);

		if (is_given(axes, dim_of(axis->row)) && !axis_matches(axis, combination))
			return FALSE;
	}
	return TRUE;
}

static gboolean has_free_key(const ProfileRule *rule, const Axes *axes)
{
	for (guint i = 0; i < rule->axes->len; i++)
		if (!is_given(axes, dim_of(((ProfileAxis *)g_ptr_array_index(rule->axes, i))->row)))
			return TRUE;
	return FALSE;
}

static gboolean add(const ProfileRule *rule, const Axes *axes, GArray *out)
{
	g_auto(Axes) one = {{NULL}};

	for (guint d = 0; d < DIM_COUNT; d++) {
		one.values[d] = values_new();
		g_array_append_val(one.values[d], g_array_index(axes->values[d], MatrixValue, 0));
	}
	for (guint i = 0; i < rule->axes->len; i++) {
		const ProfileAxis *axis = g_ptr_array_index(rule->axes, i);
		MatrixDim dim = dim_of(axis->row);

		g_array_unref(one.values[dim]);
		one.values[dim] = values_of(axis);
	}
	return product(&one, out);
}

/* ORIGINAL: how many of the combinations come from the product; the others were added by include. */
static gboolean include(const Profile *profile, const ProfileRule *rule, const Axes *axes, GArray **combinations,
	guint *original, GError **error)
{
	g_autoptr(GArray) out = g_array_new(FALSE, FALSE, sizeof(Combination));
	gboolean extends = has_free_key(rule, axes), matched = FALSE, fits = TRUE;
	guint now = 0;

	for (guint c = 0; c < (*combinations)->len && fits; c++) {
		const Combination *combination = &g_array_index(*combinations, Combination, c);
		gboolean matches = c < *original && rule_matches(rule, axes, combination);

		if (c == *original)
			now = out->len;
		matched = matched || matches;
		if (matches && extends)
			fits = extend_one(rule, axes, combination, out);
		else
			g_array_append_val(out, *combination);
	}
	if (*original == (*combinations)->len)
		now = out->len;
	if (fits && !matched)
		fits = add(rule, axes, out);
	if (!fits)
		return too_many(profile, rule->place, error);
	if (matched && !extends) {
		g_autofree char *text = rule_text(rule);

		profile_error(error, profile->file, rule->place,
			"this entry of include adds nothing: the matrix has %s already", text);
		return FALSE;
	}
	*original = now;
	g_array_unref(*combinations);
	*combinations = g_steal_pointer(&out);
	return TRUE;
}

GArray *matrix_build(const Profile *profile, GError **error)
{
	g_auto(Axes) axes = axes_of(profile);
	g_autoptr(GArray) combinations = g_array_new(FALSE, FALSE, sizeof(Combination));
	ProfilePlace nowhere = {1, 1};
	guint original;

	if (!product(&axes, combinations)) {
		too_many(profile, nowhere, error);
		return NULL;
	}
	for (guint i = 0; i < profile->exclude->len; i++)
		if (!exclude(profile, g_ptr_array_index(profile->exclude, i), combinations, error))
			return NULL;
	original = combinations->len;
	for (guint i = 0; i < profile->include->len; i++)
		if (!include(profile, g_ptr_array_index(profile->include, i), &axes, &combinations, &original, error))
			return NULL;
	if (combinations->len == 0) {
		const ProfileRule *last = g_ptr_array_index(profile->exclude, profile->exclude->len - 1);

		profile_error(error, profile->file, last->place,
			"the matrix is empty: exclude takes out every combination");
		return NULL;
	}
	return g_steal_pointer(&combinations);
}
