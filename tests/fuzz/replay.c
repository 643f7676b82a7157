/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main() of a fuzz target that is no fuzzer: every file named is one input; a folder is none. Prints how many there were. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static int replay(const char *path)
{
	struct stat st;
	FILE *file = fopen(path, "rb");
	unsigned char *data;
	size_t size;

	if (!file || fstat(fileno(file), &st) < 0 || !S_ISREG(st.st_mode)) {
		fprintf(stderr, "cannot read %s\n", path);
		return -1;
	}
	size = (size_t)st.st_size;
	data = malloc(size ? size : 1);
	if (!data || fread(data, 1, size, file) != size) {
		fprintf(stderr, "cannot read %s\n", path);
		free(data);
		fclose(file);
		return -1;
	}
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (replay(argv[i]) < 0)
			return 2;
	printf("%d inputs\n", argc - 1);
	return 0;
}
