/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which accelerator is chosen, with the world's answers given: a silent /dev/kvm cannot be made on
 * every machine. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/side/guest/accel.h"

typedef struct {
	const char *device, *capabilities, *boot; /* the reasons; NULL = works */
	gboolean cannot_try, died;
	guint boots;
} World;

static char *folder, *memo;

static char *ask_device(void *data)
{
	return g_strdup(((World *)data)->device);
}

static char *ask_capabilities(void *data)
{
	return g_strdup(((World *)data)->capabilities);
}

static gboolean ask_boot(void *data, char **ret_reason, gboolean *ret_silent, GCancellable *cancel, GError **error)
{
	World *world = data;

	world->boots++;
	if (world->cannot_try) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "no kernel");
		return FALSE;
	}
	*ret_silent = !world->died;
	*ret_reason = g_strdup(world->boot);
	return TRUE;
}

static const char *choose(World *world, const char *asked, const char *key, gboolean again,
	char **ret_remark, GError **error)
{
	const AccelProber prober = {ask_device, ask_capabilities, ask_boot, world};

	return accel_choose(&prober, asked, memo, key, again, ret_remark, NULL, error);
}

static void test_tcg_asks_nobody(void)
{
	World world = {.device = "broken"};
	g_autofree char *remark = NULL;

	g_assert_cmpstr(choose(&world, "tcg", "k", FALSE, &remark, NULL), ==, "tcg");
	g_assert_null(remark);
	g_assert_cmpuint(world.boots, ==, 0);
}

static void test_works_once(void)
{
	World world = {0};
	g_autofree char *remark = NULL;

	g_unlink(memo);
	g_assert_cmpstr(choose(&world, "kvm", "k", FALSE, &remark, NULL), ==, "kvm");
	g_assert_cmpstr(choose(&world, "auto", "k", FALSE, &remark, NULL), ==, "kvm");
	g_assert_null(remark);
	g_assert_cmpuint(world.boots, ==, 1);
	/* Another boot, kernel or emulator; and the doctor's wish to try again. */
	g_assert_cmpstr(choose(&world, "kvm", "other", FALSE, NULL, NULL), ==, "kvm");
	g_assert_cmpuint(world.boots, ==, 2);
	g_assert_cmpstr(choose(&world, "kvm", "k", TRUE, NULL, NULL), ==, "kvm");
	g_assert_cmpuint(world.boots, ==, 3);
}

static void test_silent_guest(void)
{
	World world = {.boot = "the guest did not say hello within 20 s"};
	g_autofree char *remark = NULL;

	g_unlink(memo);
	for (int i = 0; i < 2; i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(choose(&world, "kvm", "k", FALSE, NULL, &error));
		g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
		g_assert_nonnull(strstr(error->message, "did not say hello within 20 s"));
		g_assert_nonnull(strstr(error->message, "accel: auto or tcg"));
	}
	/* At once the second time, and auto knows it too. */
	g_assert_cmpuint(world.boots, ==, 1);
	g_assert_cmpstr(choose(&world, "auto", "k", FALSE, &remark, NULL), ==, "tcg");
	g_assert_nonnull(strstr(remark, "describe emulation"));
	g_assert_cmpuint(world.boots, ==, 1);
	/* Mended meanwhile. */
	world.boot = NULL;
	g_assert_cmpstr(choose(&world, "kvm", "k", TRUE, NULL, NULL), ==, "kvm");
	g_assert_cmpstr(choose(&world, "kvm", "k", FALSE, NULL, NULL), ==, "kvm");
	g_assert_cmpuint(world.boots, ==, 2);
}

/* A panic or a dead QEMU is an answer for this time only. */
static void test_died(void)
{
	World world = {.boot = "the guest that tried KVM was lost: QEMU was killed", .died = TRUE};
	g_autofree char *remark = NULL;

	g_unlink(memo);
	g_assert_cmpstr(choose(&world, "auto", "k", FALSE, &remark, NULL), ==, "tcg");
	g_assert_nonnull(strstr(remark, "QEMU was killed"));
	g_assert_false(g_file_test(memo, G_FILE_TEST_EXISTS));
	world.boot = NULL;
	g_assert_cmpstr(choose(&world, "auto", "k", FALSE, NULL, NULL), ==, "kvm");
	g_assert_cmpuint(world.boots, ==, 2);
}

/* No boot is tried, and nothing is remembered: loading a module mends it. */
static void test_no_device(void)
{
	World world = {.device = "/dev/kvm does not exist"};
	g_autoptr(GError) error = NULL;
	g_autofree char *remark = NULL;

	g_unlink(memo);
	g_assert_null(choose(&world, "kvm", "k", FALSE, NULL, &error));
	g_assert_nonnull(strstr(error->message, "/dev/kvm does not exist"));
	g_assert_cmpstr(choose(&world, "auto", "k", FALSE, &remark, NULL), ==, "tcg");
	g_assert_nonnull(strstr(remark, "/dev/kvm does not exist"));
	g_assert_cmpuint(world.boots, ==, 0);
	g_assert_false(g_file_test(memo, G_FILE_TEST_EXISTS));
	world.device = NULL;
	g_assert_cmpstr(choose(&world, "kvm", "k", FALSE, NULL, NULL), ==, "kvm");
}

static void test_libvirt_without_kvm(void)
{
	World world = {.capabilities = "the accel 'kvm' is not supported"};
	g_autoptr(GError) error = NULL;

	g_assert_null(choose(&world, "kvm", "k", FALSE, NULL, &error));
	g_assert_nonnull(strstr(error->message, "the accel 'kvm' is not supported"));
	g_assert_cmpuint(world.boots, ==, 0);
}

static void test_could_not_be_tried(void)
{
	World world = {.cannot_try = TRUE};

	g_unlink(memo);
	for (guint i = 1; i <= 2; i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(choose(&world, "auto", "k", FALSE, NULL, &error));
		g_assert_cmpstr(error->message, ==, "no kernel");
		g_assert_cmpuint(world.boots, ==, i);
	}
}

static void test_damaged_memo(void)
{
	static const char *const texts[] = {
		"", "[]", "{\"k\":7}", "{\"k\":{\"works\":\"yes\"}}", "\xff\xfe"};

	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		World world = {0};

		g_assert_true(g_file_set_contents(memo, texts[i], -1, NULL));
		g_assert_cmpstr(choose(&world, "kvm", "k", FALSE, NULL, NULL), ==, "kvm");
		g_assert_cmpuint(world.boots, ==, 1);
	}
}

static void test_unknown_word(void)
{
	World world = {0};
	g_autoptr(GError) error = NULL;

	g_assert_null(choose(&world, "hvf", "k", FALSE, NULL, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
}

static void test_real_device_files(void)
{
	g_autofree char *missing = accel_check_device("/dev/no-such-device");
	g_autofree char *other = accel_check_device("/dev/null");

	g_assert_nonnull(strstr(missing, "does not exist"));
	g_assert_nonnull(strstr(missing, "nested"));
	g_assert_nonnull(strstr(other, "is not KVM's device"));
	if (geteuid() != 0) {
		g_autofree char *closed = accel_check_device("/dev/mem");

		g_assert_nonnull(closed);
	}
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	folder = g_dir_make_tmp("iogap-accel-XXXXXX", NULL);
	memo = g_build_filename(folder, "kvm.json", NULL);
	g_test_add_func("/accel/tcg-asks-nobody", test_tcg_asks_nobody);
	g_test_add_func("/accel/works-once", test_works_once);
	g_test_add_func("/accel/silent-guest", test_silent_guest);
	g_test_add_func("/accel/died", test_died);
	g_test_add_func("/accel/no-device", test_no_device);
	g_test_add_func("/accel/libvirt-without-kvm", test_libvirt_without_kvm);
	g_test_add_func("/accel/could-not-be-tried", test_could_not_be_tried);
	g_test_add_func("/accel/damaged-memo", test_damaged_memo);
	g_test_add_func("/accel/unknown-word", test_unknown_word);
	g_test_add_func("/accel/real-device-files", test_real_device_files);
	status = g_test_run();
	g_unlink(memo);
	g_rmdir(folder);
	g_free(memo);
	g_free(folder);
	return status;
}
