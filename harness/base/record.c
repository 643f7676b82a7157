/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/record.h"

#include <math.h>

typedef struct {
	RecordType type;
	union {
		gint64 integer;
		double real;
		char *text;
	} of;
} Value;

/*
 * The names of a record and where they stand. Records of one kind come in thousands (a store's runs),
 * so that copies share one shape; whoever adds or removes a name of a shared shape gets its own first.
 */
typedef struct {
	guint users;
	GPtrArray *names;  /* of char *, in order */
	GHashTable *index; /* name (owned by names) -> its index + 1 */
} Shape;

struct Record {
	Shape *shape;
	GArray *values; /* of Value, one for each name */
};

static Shape *shape_new(void)
{
	Shape *shape = g_new0(Shape, 1);

	shape->users = 1;
	shape->names = g_ptr_array_new_with_free_func(g_free);
	shape->index = g_hash_table_new(g_str_hash, g_str_equal);
	return shape;
}

static void shape_release(Shape *shape)
{
	if (--shape->users > 0)
		return;
	g_hash_table_destroy(shape->index);
	g_ptr_array_unref(shape->names);
	g_free(shape);
}

static void shape_append(Shape *shape, const char *name)
{
	char *copy = g_strdup(name);

	g_ptr_array_add(shape->names, copy);
	g_hash_table_insert(shape->index, copy, GUINT_TO_POINTER(shape->names->len));
}

/* Gives RECORD a shape that nobody else uses. */
static void own_shape(Record *record)
{
	Shape *shared = record->shape;

	if (shared->users == 1)
		return;
	record->shape = shape_new();
	for (guint i = 0; i < shared->names->len; i++)
		shape_append(record->shape, shared->names->pdata[i]);
	shape_release(shared);
}

static void clear_value(void *data)
{
	Value *value = data;

	if (value->type == RECORD_TEXT)
		g_free(value->of.text);
	value->type = RECORD_NULL;
}

static Record *record_of(Shape *shape)
{
	Record *record = g_new0(Record, 1);

	record->shape = shape;
	record->values = g_array_sized_new(FALSE, TRUE, sizeof(Value), shape->names->len);
	g_array_set_clear_func(record->values, clear_value);
	g_array_set_size(record->values, shape->names->len);
	return record;
}

Record *record_new(void)
{
	return record_of(shape_new());
}

Record *record_new_like(const Record *record)
{
	record->shape->users++;
	return record_of(record->shape);
}

void record_free(Record *record)
{
	if (!record)
		return;
	g_array_unref(record->values);
	shape_release(record->shape);
	g_free(record);
}

Record *record_copy(const Record *record)
{
	Record *copy = record_new_like(record);

	record_merge(copy, record);
	return copy;
}

static Value *value_at(const Record *record, guint index)
{
	return &g_array_index(record->values, Value, index);
}

static const Value *find(const Record *record, const char *name)
{
	guint index = GPOINTER_TO_UINT(g_hash_table_lookup(record->shape->index, name));

	return index ? value_at(record, index - 1) : NULL;
}

/* The value of NAME, made if missing, with what it held cleared. */
static Value *renew(Record *record, const char *name)
{
	guint index = GPOINTER_TO_UINT(g_hash_table_lookup(record->shape->index, name));

	if (index) {
		clear_value(value_at(record, index - 1));
		return value_at(record, index - 1);
	}
	own_shape(record);
	shape_append(record->shape, name);
	g_array_set_size(record->values, record->shape->names->len);
	return value_at(record, record->values->len - 1);
}

void record_set_int(Record *record, const char *name, gint64 number)
{
	Value *value = renew(record, name);

	value->type = RECORD_INT;
	value->of.integer = number;
}

void record_set_real(Record *record, const char *name, double number)
{
	Value *value = renew(record, name);

	if (!isfinite(number))
		return;
	value->type = RECORD_REAL;
	value->of.real = number;
}

void record_set_text(Record *record, const char *name, const char *text)
{
	/* Copied first: TEXT may be the one that is replaced. */
	char *copy = g_strdup(text);
	Value *value = renew(record, name);

	if (!copy)
		return;
	value->type = RECORD_TEXT;
	value->of.text = copy;
}

void record_set_null(Record *record, const char *name)
{
	renew(record, name);
}

void record_unset(Record *record, const char *name)
{
	guint index = GPOINTER_TO_UINT(g_hash_table_lookup(record->shape->index, name));
	Shape *old = record->shape;

	if (!index)
		return;
	/* NAME may belong to the old shape, and those behind it move up: a new one is made of the rest. */
	record->shape = shape_new();
	for (guint i = 0; i < old->names->len; i++)
		if (i != index - 1)
			shape_append(record->shape, old->names->pdata[i]);
	shape_release(old);
	g_array_remove_index(record->values, index - 1);
}

static void set_value(Record *record, const char *name, const Value *value)
{
	switch (value->type) {
	case RECORD_NULL:
		record_set_null(record, name);
		break;
	case RECORD_INT:
		record_set_int(record, name, value->of.integer);
		break;
	case RECORD_REAL:
		record_set_real(record, name, value->of.real);
		break;
	case RECORD_TEXT:
		record_set_text(record, name, value->of.text);
		break;
	}
}

void record_merge(Record *record, const Record *source)
{
	if (record == source)
		return;
	for (guint i = 0; i < source->values->len; i++)
		set_value(record, source->shape->names->pdata[i], value_at(source, i));
}

RecordType record_type(const Record *record, const char *name)
{
	const Value *value = find(record, name);

	return value ? value->type : RECORD_NULL;
}

gboolean record_has(const Record *record, const char *name)
{
	return record_type(record, name) != RECORD_NULL;
}

gint64 record_get_int(const Record *record, const char *name, gint64 fallback)
{
	const Value *value = find(record, name);

	return value && value->type == RECORD_INT ? value->of.integer : fallback;
}

double record_get_real(const Record *record, const char *name, double fallback)
{
	const Value *value = find(record, name);

	if (value && value->type == RECORD_REAL)
		return value->of.real;
	if (value && value->type == RECORD_INT)
		return (double)value->of.integer;
	return fallback;
}

const char *record_get_text(const Record *record, const char *name)
{
	const Value *value = find(record, name);

	return value && value->type == RECORD_TEXT ? value->of.text : NULL;
}

guint record_size(const Record *record)
{
	return record->values->len;
}

const char *record_name(const Record *record, guint index)
{
	return record->shape->names->pdata[index];
}

static gboolean value_equal(const Value *a, const Value *b)
{
	if (!b || a->type != b->type)
		return FALSE;
	switch (a->type) {
	case RECORD_NULL:
		return TRUE;
	case RECORD_INT:
		return a->of.integer == b->of.integer;
	case RECORD_REAL:
		return a->of.real == b->of.real;
	case RECORD_TEXT:
		return g_str_equal(a->of.text, b->of.text);
	}
	return FALSE;
}

gboolean record_equal(const Record *a, const Record *b)
{
	if (a->values->len != b->values->len)
		return FALSE;
	for (guint i = 0; i < a->values->len; i++)
		if (!value_equal(value_at(a, i), find(b, record_name(a, i))))
			return FALSE;
	return TRUE;
}
