/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles: a profile or an error at its place. */
#include <string.h>

#include "harness/profile/profile.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_malloc(size + 1);
	GError *error = NULL;
	Profile *profile;

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	profile = profile_parse("input.yaml", text, (gssize)size, &error);
	g_assert_true((profile == NULL) == (error != NULL));
	g_assert_true(!error || g_str_has_prefix(error->message, "input.yaml"));
	profile_free(profile);
	g_clear_error(&error);
	return 0;
}
