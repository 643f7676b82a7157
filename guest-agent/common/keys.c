/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "guest-agent/common/keys.h"

static const Key *find_key(const Key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (!strcmp(keys->name, name))
			return keys;
	return NULL;
}

static int wrong_type(const Key *key, Fault *fault)
{
	static const char *const expected[] = {"a text", "a whole number", "true or false", "a text", "an object"};

	return fault_set(fault, EINVAL, key->name, "%s must be %s", key->name, expected[key->type]);
}

static int take_uint(const Key *key, const json_t *value, uint64_t *ret, Fault *fault)
{
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value))
		return wrong_type(key, fault);
	if (number < 0 || (uint64_t)number < key->min || (uint64_t)number > key->max)
		return fault_set(fault, ERANGE, key->name, "%s is %lld and must be from %llu to %llu", key->name,
			(long long)number, (unsigned long long)key->min, (unsigned long long)key->max);
	*ret = (uint64_t)number;
	return 0;
}

static size_t join_choices(const Key *key, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = 0;
	for (unsigned i = 0; key->choices[i] && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "", key->choices[i]);
	return used;
}

static int take_choice(const Key *key, const json_t *value, unsigned *ret, Fault *fault)
{
	const char *text = json_string_value(value);
	char list[160];

	if (!text)
		return wrong_type(key, fault);
	for (unsigned i = 0; key->choices[i]; i++)
		if (!strcmp(key->choices[i], text)) {
			*ret = i;
			return 0;
		}
	join_choices(key, list, sizeof(list));
	return fault_set(fault, EINVAL, key->name, "%s is \"%.40s\" and must be one of %s", key->name, text, list);
}

static int take(const Key *key, json_t *value, void *field, Fault *fault)
{
	switch (key->type) {
	case KEY_UINT:
		return take_uint(key, value, field, fault);
	case KEY_CHOICE:
		return take_choice(key, value, field, fault);
	case KEY_BOOL:
		if (!json_is_boolean(value))
			return wrong_type(key, fault);
		*(bool *)field = json_is_true(value);
		return 0;
	case KEY_TEXT:
		if (!json_is_string(value))
			return wrong_type(key, fault);
		*(const char **)field = json_string_value(value);
		return 0;
	case KEY_OBJECT:
		if (!json_is_object(value))
			return wrong_type(key, fault);
		*(json_t **)field = value;
		return 0;
	}
	return -EINVAL;
}

static void preset(const Key *key, void *field)
{
	switch (key->type) {
	case KEY_UINT:
		*(uint64_t *)field = key->preset;
		break;
	case KEY_CHOICE:
		*(unsigned *)field = (unsigned)key->preset;
		break;
	case KEY_BOOL:
		*(bool *)field = key->preset != 0;
		break;
	case KEY_TEXT:
	case KEY_OBJECT:
		*(void **)field = NULL;
		break;
	}
}

int keys_parse(const json_t *object, const Key *keys, bool envelope, void *ret, Fault *fault)
{
	const char *name;
	json_t *value;
	int r;

	json_object_foreach((json_t *)object, name, value) {
		if (envelope && (!strcmp(name, "id") || !strcmp(name, "cmd")))
			continue;
		if (!find_key(keys, name))
			return fault_set(fault, EINVAL, name, "unknown key \"%.60s\"", name);
	}
	for (const Key *key = keys; key->name; key++) {
		void *field = (char *)ret + key->at;

		value = json_object_get(object, key->name);
		if (value && !json_is_null(value)) {
			r = take(key, value, field, fault);
			if (r < 0)
				return r;
		} else if (key->required) {
			return fault_set(fault, EINVAL, key->name, "%s is missing", key->name);
		} else {
			preset(key, field);
		}
	}
	return 0;
}

static size_t describe_type(const Key *key, char *buf, size_t size)
{
	switch (key->type) {
	case KEY_UINT:
		return (size_t)snprintf(buf, size, "whole number, %llu to %llu", (unsigned long long)key->min,
			(unsigned long long)key->max);
	case KEY_CHOICE:
		return join_choices(key, buf, size);
	case KEY_BOOL:
		return (size_t)snprintf(buf, size, "true, false");
	case KEY_TEXT:
		return (size_t)snprintf(buf, size, "text");
	case KEY_OBJECT:
		return (size_t)snprintf(buf, size, "object");
	}
	return 0;
}

char *keys_describe(const Key *key, char *buf, size_t size)
{
	size_t used = describe_type(key, buf, size);

	if (used >= size)
		return buf;
	if (key->required)
		snprintf(buf + used, size - used, "; required");
	else if (key->type == KEY_CHOICE)
		snprintf(buf + used, size - used, "; default %s", key->choices[key->preset]);
	else if (key->type == KEY_BOOL)
		snprintf(buf + used, size - used, "; default %s", key->preset ? "true" : "false");
	else if (key->type == KEY_UINT && key->preset != KEY_NONE)
		snprintf(buf + used, size - used, "; default %llu", (unsigned long long)key->preset);
	else
		snprintf(buf + used, size - used, "; default null");
	return buf;
}
