/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/record.h"

#include <math.h>

typedef struct {
	char *name;
	RecordType type;
	union {
		gint64 integer;
		double real;
		char *text;
	} value;
} Field;

struct Record {
	GPtrArray *fields;  /* of Field *, in order */
	GHashTable *by_name; /* name (owned by the field) -> Field */
};

static void field_clear_value(Field *field)
{
	if (field->type == RECORD_TEXT)
		g_free(field->value.text);
	field->type = RECORD_NULL;
}

static void field_free(void *data)
{
	Field *field = data;

	field_clear_value(field);
	g_free(field->name);
	g_free(field);
}

Record *record_new(void)
{
	Record *record = g_new0(Record, 1);

	record->fields = g_ptr_array_new_with_free_func(field_free);
	record->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	return record;
}

void record_free(Record *record)
{
	if (!record)
		return;
	g_hash_table_destroy(record->by_name);
	g_ptr_array_unref(record->fields);
	g_free(record);
}

Record *record_copy(const Record *record)
{
	Record *copy = record_new();

	record_merge(copy, record);
	return copy;
}

static const Field *find(const Record *record, const char *name)
{
	return g_hash_table_lookup(record->by_name, name);
}

/* The field of NAME, made if missing, with its old value cleared. */
static Field *renew(Record *record, const char *name)
{
	Field *field = g_hash_table_lookup(record->by_name, name);

	if (field) {
		field_clear_value(field);
		return field;
	}
	field = g_new0(Field, 1);
	field->name = g_strdup(name);
	g_ptr_array_add(record->fields, field);
	g_hash_table_insert(record->by_name, field->name, field);
	return field;
}

void record_set_int(Record *record, const char *name, gint64 value)
{
	Field *field = renew(record, name);

	field->type = RECORD_INT;
	field->value.integer = value;
}

void record_set_real(Record *record, const char *name, double value)
{
	Field *field = renew(record, name);

	if (!isfinite(value))
		return;
	field->type = RECORD_REAL;
	field->value.real = value;
}

void record_set_text(Record *record, const char *name, const char *value)
{
	/* Copied first: VALUE may be the text that is replaced. */
	char *copy = g_strdup(value);
	Field *field = renew(record, name);

	if (!copy)
		return;
	field->type = RECORD_TEXT;
	field->value.text = copy;
}

void record_set_null(Record *record, const char *name)
{
	renew(record, name);
}

void record_unset(Record *record, const char *name)
{
	Field *field = g_hash_table_lookup(record->by_name, name);

	if (!field)
		return;
	g_hash_table_remove(record->by_name, name);
	g_ptr_array_remove(record->fields, field);
}

static void set_field(Record *record, const Field *field)
{
	switch (field->type) {
	case RECORD_NULL:
		record_set_null(record, field->name);
		break;
	case RECORD_INT:
		record_set_int(record, field->name, field->value.integer);
		break;
	case RECORD_REAL:
		record_set_real(record, field->name, field->value.real);
		break;
	case RECORD_TEXT:
		record_set_text(record, field->name, field->value.text);
		break;
	}
}

void record_merge(Record *record, const Record *source)
{
	if (record == source)
		return;
	for (guint i = 0; i < source->fields->len; i++)
		set_field(record, g_ptr_array_index(source->fields, i));
}

RecordType record_type(const Record *record, const char *name)
{
	const Field *field = find(record, name);

	return field ? field->type : RECORD_NULL;
}

gboolean record_has(const Record *record, const char *name)
{
	return record_type(record, name) != RECORD_NULL;
}

gint64 record_get_int(const Record *record, const char *name, gint64 fallback)
{
	const Field *field = find(record, name);

	return field && field->type == RECORD_INT ? field->value.integer : fallback;
}

double record_get_real(const Record *record, const char *name, double fallback)
{
	const Field *field = find(record, name);

	if (field && field->type == RECORD_REAL)
		return field->value.real;
	if (field && field->type == RECORD_INT)
		return (double)field->value.integer;
	return fallback;
}

const char *record_get_text(const Record *record, const char *name)
{
	const Field *field = find(record, name);

	return field && field->type == RECORD_TEXT ? field->value.text : NULL;
}

guint record_size(const Record *record)
{
	return record->fields->len;
}

const char *record_name(const Record *record, guint index)
{
	const Field *field = g_ptr_array_index(record->fields, index);

	return field->name;
}

static gboolean field_equal(const Field *a, const Field *b)
{
	if (!b || a->type != b->type)
		return FALSE;
	switch (a->type) {
	case RECORD_NULL:
		return TRUE;
	case RECORD_INT:
		return a->value.integer == b->value.integer;
	case RECORD_REAL:
		return a->value.real == b->value.real;
	case RECORD_TEXT:
		return g_str_equal(a->value.text, b->value.text);
	}
	return FALSE;
}

gboolean record_equal(const Record *a, const Record *b)
{
	if (a->fields->len != b->fields->len)
		return FALSE;
	for (guint i = 0; i < a->fields->len; i++) {
		const Field *field = g_ptr_array_index(a->fields, i);

		if (!field_equal(field, find(b, field->name)))
			return FALSE;
	}
	return TRUE;
}
