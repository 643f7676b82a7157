/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lines of /proc/interrupts are a disk's. */
#include <glib.h>

#include "guest-agent/interrupts.h"

static const char table[] = "            CPU0       CPU1\n"
			    "  14:       1000        500   IO-APIC  14-edge      ata_piix\n"
			    "  15:          7          0   IO-APIC  15-edge      ata_piix, other\n"
			    "  24:          3          0   PCI-MSI 65536-edge      virtio0-config\n"
			    " 125:      40000         12   PCI-MSIX-0000:00:02.0   1-edge      virtio0-req.0\n"
			    " 126:          9          9   PCI-MSI 9-edge      ata_piix2\n"
			    "NMI:          5          5   Non-maskable interrupts\n"
			    "LOC:    1794999    1832224   Local timer interrupts\n";

static void test_vectors(void)
{
	const unsigned both[] = {24, 125}, none[] = {99};
	uint64_t sum = 1;

	g_assert_true(interrupts_sum(table, both, 2, NULL, &sum));
	g_assert_cmpuint(sum, ==, 3 + 40000 + 12);
	g_assert_false(interrupts_sum(table, none, 1, NULL, &sum));
	g_assert_cmpuint(sum, ==, 0);
}

static void test_name(void)
{
	uint64_t sum;

	/* Neither a longer name nor a part of one. */
	g_assert_true(interrupts_sum(table, NULL, 0, "ata_piix", &sum));
	g_assert_cmpuint(sum, ==, 1500 + 7);
	g_assert_true(interrupts_sum(table, NULL, 0, "other", &sum));
	g_assert_cmpuint(sum, ==, 7);
	g_assert_false(interrupts_sum(table, NULL, 0, "piix", &sum));
	g_assert_false(interrupts_sum(table, NULL, 0, "interrupts", &sum));
	g_assert_false(interrupts_sum("", NULL, 0, "ata_piix", &sum));
}

static void test_none(void)
{
	uint64_t sum;

	g_assert_false(interrupts_of_disk("/sys/block/there-is-no-such-disk", &sum));
	/* A loop device has no hardware of its own. */
	g_assert_false(interrupts_of_disk("/sys/block/loop0", &sum));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/interrupts/vectors", test_vectors);
	g_test_add_func("/interrupts/name", test_name);
	g_test_add_func("/interrupts/none", test_none);
	return g_test_run();
}
