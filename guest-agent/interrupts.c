/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/interrupts.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/disk.h"

#define TEXT_SIZE (512u << 10) /* a line has a number for each processor */
#define MAX_VECTORS 256

/* " 24:  12  0  PCI-MSI 65537-edge  virtio0-req.0": a number and a colon begin the lines of devices. */
static const char *line_number(const char *line, unsigned *ret)
{
	char *end;

	while (*line == ' ')
		line++;
	if (!isdigit((unsigned char)*line))
		return NULL;
	*ret = (unsigned)strtoul(line, &end, 10);
	return *end == ':' ? end + 1 : NULL;
}

static bool is_among(unsigned number, const unsigned *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* NAME is one of the words, parted by blanks and commas, of LENGTH bytes at TEXT. */
static bool has_word(const char *text, size_t length, const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; size && i + size <= length; i++)
		if ((i == 0 || text[i - 1] == ' ' || text[i - 1] == ',') && !strncmp(text + i, name, size) &&
			(i + size == length || text[i + size] == ' ' || text[i + size] == ','))
			return true;
	return false;
}

bool interrupts_sum(const char *text, const unsigned *numbers, size_t n, const char *name, uint64_t *ret)
{
	bool found = false;

	*ret = 0;
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		unsigned number;
		const char *at = line_number(line, &number), *rest;
		uint64_t sum = 0;
		size_t length;

		if (!at)
			continue;
		for (rest = at;;) {
			char *end;
			uint64_t count = strtoull(rest, &end, 10);

			/* The name of the chip follows; it may begin with a digit, but not stand alone. */
			if (end == rest || (*end != ' ' && *end != '\n' && *end))
				break;
			sum += count;
			rest = end;
		}
		length = strcspn(rest, "\n");
		if (n ? is_among(number, numbers, n) : has_word(rest, length, name)) {
			*ret += sum;
			found = true;
		}
	}
	return found;
}

/* Names in FOLDER/msi_irqs, which are numbers. */
static size_t read_vectors(const char *folder, unsigned *ret)
{
	char path[PATH_MAX];
	struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	if (snprintf(path, sizeof(path), "%s/msi_irqs", folder) >= (int)sizeof(path))
		return 0;
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir)) && n < MAX_VECTORS)
		if (isdigit((unsigned char)entry->d_name[0]))
			ret[n++] = (unsigned)strtoul(entry->d_name, NULL, 10);
	closedir(dir);
	return n;
}

static unsigned read_line(const char *folder)
{
	char path[PATH_MAX], text[32];

	if (snprintf(path, sizeof(path), "%s/irq", folder) >= (int)sizeof(path) || disk_read_text(path, text, sizeof(text)) <= 0)
		return 0;
	return (unsigned)strtoul(text, NULL, 10);
}

/* The driver of the PCI device FOLDER; false if it is none. */
static bool read_driver(const char *folder, char *name, size_t size)
{
	char path[PATH_MAX], real[PATH_MAX];

	/* Devices of virtio have a vendor and a driver too, but no class. */
	if (snprintf(path, sizeof(path), "%s/class", folder) >= (int)sizeof(path) || !realpath(path, real))
		return false;
	if (snprintf(path, sizeof(path), "%s/driver", folder) >= (int)sizeof(path) || !realpath(path, real))
		return false;
	return snprintf(name, size, "%s", strrchr(real, '/') + 1) < (int)size;
}

/* The kernel hands the table out in pieces. */
static char *read_table(void)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char *text = malloc(TEXT_SIZE);
	size_t n = file && text ? fread(text, 1, TEXT_SIZE - 1, file) : 0;

	if (file)
		fclose(file);
	if (text)
		text[n] = '\0';
	return text;
}

bool interrupts_of_disk(const char *sysfs, uint64_t *ret)
{
	CLEANUP_FREE char *text = read_table();
	unsigned numbers[MAX_VECTORS];
	char folder[PATH_MAX], path[PATH_MAX], driver[64];

	if (!text || snprintf(path, sizeof(path), "%s/device", sysfs) >= (int)sizeof(path) || !realpath(path, folder))
		return false;
	/* Up to /sys/devices; the nearest device that has an interrupt is the disk's. */
	for (char *slash; (slash = strrchr(folder, '/')) && slash != folder; *slash = '\0') {
		size_t n = read_vectors(folder, numbers);

		if (n == 0 && (numbers[0] = read_line(folder)))
			n = 1;
		if (n)
			return interrupts_sum(text, numbers, n, NULL, ret);
		if (read_driver(folder, driver, sizeof(driver)))
			return interrupts_sum(text, NULL, 0, driver, ret);
	}
	return false;
}
