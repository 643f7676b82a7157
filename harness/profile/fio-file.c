/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/profile/fio-file.h"

#include <string.h>

#include "guest-agent/common/units.h"
#include "harness/base/error.h"
#include "harness/base/nearest.h"

typedef struct {
	const char *file;
	ProfileFioFile *ret;
	GPtrArray *keys, *values; /* of char *: what is handed on, a key once */
	GArray *lines;		  /* of guint: where each of them stands */
	GHashTable *section;	  /* keys of the section under way */
	guint line;
	gboolean global, job; /* seen */
	GError **error;
} Reader;

static gboolean fail(const Reader *reader, guint line, const char *format, ...) G_GNUC_PRINTF(3, 4);
static gboolean fail(const Reader *reader, guint line, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(reader->error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s:%u: %s", reader->file, line, text);
	return FALSE;
}

/* ---- options that the harness must know --------------------------------------------------------- */

static gboolean take_text(char **ret, const char *value, const char *const *words)
{
	if (!g_strv_contains(words, value))
		return FALSE;
	g_free(*ret);
	*ret = g_strdup(value);
	return TRUE;
}

static gboolean take_count(guint *ret, const char *value, guint most)
{
	uint64_t number;

	if (units_parse_uint(value, &number) < 0 || number < 1 || number > most)
		return FALSE;
	*ret = (guint)number;
	return TRUE;
}

static const char *take_rw(ProfileFioFile *file, const char *value)
{
	static const char *const words[] = {"read", "write", "randread", "randwrite", "rw", "randrw", NULL};

	return take_text(&file->rw, g_str_equal(value, "readwrite") ? "rw" : value, words)
		? NULL : "it is read, write, randread, randwrite, rw or randrw here, without a number behind it";
}

/* fio's own units: k, m, g and their longer names are all powers of 1024 by default. */
static const char *take_block(ProfileFioFile *file, const char *value)
{
	g_autofree char *lower = g_ascii_strdown(value, -1);
	gsize length = strlen(lower);
	uint64_t size;

	if (g_str_has_suffix(lower, "ib"))
		lower[length - 2] = '\0';
	else if (g_str_has_suffix(lower, "b"))
		lower[length - 1] = '\0';
	if (units_parse_size(lower, &size) < 0 || size == 0 || size > 256u << 20)
		return "it is one size here, such as 4k, the same for reads and writes";
	file->block_size = size;
	return NULL;
}

static const char *take_direct(ProfileFioFile *file, const char *value)
{
	if (!g_str_equal(value, "0") && !g_str_equal(value, "1"))
		return "it is 0 or 1";
	file->direct = *value == '1';
	return NULL;
}

static const char *take_depth(ProfileFioFile *file, const char *value)
{
	return take_count(&file->queue_depth, value, 4096) ? NULL : "it is 1 to 4096";
}

static const char *take_jobs(ProfileFioFile *file, const char *value)
{
	return take_count(&file->jobs, value, 256) ? NULL : "it is 1 to 256";
}

static const char *take_percent(ProfileFioFile *file, const char *value)
{
	uint64_t number;

	if (units_parse_uint(value, &number) < 0 || number > 100)
		return "it is a percentage";
	file->mix_read = (int)number;
	return NULL;
}

static const char *take_percent_of_writes(ProfileFioFile *file, const char *value)
{
	const char *why = take_percent(file, value);

	if (!why)
		file->mix_read = 100 - file->mix_read;
	return why;
}

static const char *take_sync(ProfileFioFile *file, const char *value)
{
	static const char *const words[] = {"none", "dsync", "sync", NULL};

	return take_text(&file->sync, g_str_equal(value, "0") ? "none" : g_str_equal(value, "1") ? "sync" : value, words)
		? NULL : "it is 0, 1, none, dsync or sync";
}

static const char *take_fsync(ProfileFioFile *file, const char *value)
{
	return take_count(&file->fsync_every, value, 1000000) ? NULL : "it is a number of writes from 1 to 1000000";
}

static const char *take_engine(ProfileFioFile *file, const char *value)
{
	static const char *const words[] = {"psync", "sync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", NULL};

	return take_text(&file->ioengine, value, words)
		? NULL : "it is psync, sync, vsync, pvsync, pvsync2, libaio, io_uring or posixaio here";
}

static const char *take_rate(ProfileFioFile *file, const char *value)
{
	guint rate;

	if (!take_count(&rate, value, 1000000000))
		return "it is one number here";
	file->rate_iops = rate;
	return NULL;
}

typedef struct {
	const char *key, *also; /* fio's other name of it */
	const char *(*take)(ProfileFioFile *file, const char *value); /* NULL: handed on as it is */
} Known;

static const Known known[] = {
	{"rw", "readwrite", take_rw},
	{"bs", "blocksize", take_block},
	{"direct", NULL, take_direct},
	{"iodepth", NULL, take_depth},
	{"numjobs", NULL, take_jobs},
	{"rwmixread", NULL, take_percent},
	{"rwmixwrite", NULL, take_percent_of_writes},
	{"sync", NULL, take_sync},
	{"fsync", NULL, take_fsync},
	{"ioengine", NULL, take_engine},
	{"rate_iops", NULL, take_rate},
	{"rate_process"},
	{"thinktime"},
	{"thinktime_blocks"},
	{"thinktime_spin"},
	{"iodepth_batch", "iodepth_batch_submit"},
	{"iodepth_batch_complete_min", "iodepth_batch_complete"},
	{"iodepth_batch_complete_max"},
	{"iodepth_low"},
	{"hipri"},
	{"fixedbufs"},
	{"registerfiles"},
	{"sqthread_poll"},
	{"nonvectored"},
	{"userspace_reap"},
	{"norandommap"},
	{"softrandommap"},
	{"random_generator"},
	{"random_distribution"},
	{"percentage_random"},
	{"randrepeat"},
	{"allrandrepeat"},
	{"randseed"},
	{"refill_buffers"},
	{"scramble_buffers"},
	{"zero_buffers"},
	{"buffer_compress_percentage"},
	{"buffer_compress_chunk"},
	{"dedupe_percentage"},
	{"prio"},
	{"prioclass"},
	{"nice"},
	{"end_fsync"},
	/* As the harness sets them anyway. */
	{"group_reporting"},
	{"thread"},
};

#define FILE_OURS "the file is the target of the profile"
#define RANGE_OURS "the range is the whole target (targets: size)"
#define TIME_OURS "how long is measured stands in the profile (measure: settle, run)"
#define STATE_OURS "the target is made and filled, and caches are dropped, by iogap"
#define OUTPUT_OURS "what fio prints is chosen by iogap"

static const struct {
	const char *key, *why;
} ours[] = {
	{"filename", FILE_OURS},
	{"directory", FILE_OURS},
	{"filename_format", FILE_OURS},
	{"opendir", FILE_OURS},
	{"nrfiles", FILE_OURS},
	{"openfiles", FILE_OURS},
	{"size", RANGE_OURS},
	{"filesize", RANGE_OURS},
	{"io_size", RANGE_OURS},
	{"io_limit", RANGE_OURS},
	{"offset", RANGE_OURS},
	{"offset_increment", RANGE_OURS},
	{"runtime", TIME_OURS},
	{"timeout", TIME_OURS},
	{"ramp_time", TIME_OURS},
	{"time_based", TIME_OURS},
	{"loops", TIME_OURS},
	{"startdelay", TIME_OURS},
	{"number_ios", TIME_OURS},
	{"invalidate", STATE_OURS},
	{"pre_read", STATE_OURS},
	{"overwrite", STATE_OURS},
	{"fallocate", STATE_OURS},
	{"unlink", STATE_OURS},
	{"create_on_open", STATE_OURS},
	{"create_only", STATE_OURS},
	{"clocksource", OUTPUT_OURS},
	{"gtod_reduce", OUTPUT_OURS},
	{"disable_lat", OUTPUT_OURS},
	{"disable_clat", OUTPUT_OURS},
	{"disable_slat", OUTPUT_OURS},
	{"lat_percentiles", OUTPUT_OURS},
	{"clat_percentiles", OUTPUT_OURS},
	{"slat_percentiles", OUTPUT_OURS},
	{"percentile_list", OUTPUT_OURS},
	{"write_bw_log", OUTPUT_OURS},
	{"write_lat_log", OUTPUT_OURS},
	{"write_iops_log", OUTPUT_OURS},
	{"stonewall", "a file has one job here"},
	{"wait_for", "a file has one job here"},
	{"new_group", "a file has one job here"},
	{"exec_prerun", "no commands are run"},
	{"exec_postrun", "no commands are run"},
	{"bsrange", "a run has one block size here (bs)"},
	{"bssplit", "a run has one block size here (bs)"},
	{"bs_unaligned", "a run has one block size here (bs)"},
	{"rate", "a limit is a number of operations here (rate_iops)"},
};

static const Known *find_known(const char *key)
{
	for (guint i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_str_equal(known[i].key, key) || g_strcmp0(known[i].also, key) == 0)
			return &known[i];
	return NULL;
}

static gboolean refuse(const Reader *reader, const char *key)
{
	const char *words[G_N_ELEMENTS(known) + 1] = {NULL};
	const char *hint;

	for (guint i = 0; i < G_N_ELEMENTS(ours); i++)
		if (g_str_equal(ours[i].key, key))
			return fail(reader, reader->line, "%s: %s; take the line out", key, ours[i].why);
	for (guint i = 0; i < G_N_ELEMENTS(known); i++)
		words[i] = known[i].key;
	hint = nearest(key, words);
	if (hint)
		return fail(reader, reader->line, "iogap does not know the option %s of a job; did you mean %s?", key, hint);
	return fail(reader, reader->line, "iogap does not know the option %s of a job, and passes none on that it does not know", key);
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* What is said again stands last, since fio reads on over it: rwmixread and rwmixwrite undo each other. */
static void keep(Reader *reader, const char *key, const char *value)
{
	for (guint i = 0; i < reader->keys->len; i++)
		if (g_str_equal(reader->keys->pdata[i], key)) {
			g_ptr_array_remove_index(reader->keys, i);
			g_ptr_array_remove_index(reader->values, i);
			g_array_remove_index(reader->lines, i);
			break;
		}
	g_ptr_array_add(reader->keys, (char *)key);
	g_ptr_array_add(reader->values, g_strdup(value));
	g_array_append_val(reader->lines, reader->line);
}

static gboolean take_section(Reader *reader, const char *text)
{
	g_autofree char *name = NULL;

	if (!g_str_has_suffix(text, "]") || strlen(text) < 3)
		return fail(reader, reader->line, "a section is [global] or [NAME OF THE JOB]");
	name = g_strndup(text + 1, strlen(text) - 2);
	g_hash_table_remove_all(reader->section);
	if (g_str_equal(name, "global")) {
		if (reader->job || reader->global)
			return fail(reader, reader->line, "[global] stands once, before the job");
		reader->global = TRUE;
		return TRUE;
	}
	if (reader->job)
		return fail(reader, reader->line, "[%s] is a second job, and a run is one number: give each a file of its own "
			"(engine: [{fio: a.fio}, {fio: b.fio}]), or use numjobs", name);
	reader->job = TRUE;
	return TRUE;
}

static gboolean take_option(Reader *reader, const char *text)
{
	const char *equals = strchr(text, '=');
	g_autofree char *key = g_strchomp(equals ? g_strndup(text, equals - text) : g_strdup(text));
	g_autofree char *value = g_strstrip(g_strdup(equals ? equals + 1 : "1")); /* a bare word switches it on */
	const Known *option = find_known(key);
	const char *why;

	if (g_str_has_prefix(text, "include ") || g_str_has_prefix(text, "include\t"))
		return fail(reader, reader->line, "nothing is included; put the options of that file here, so that the hash covers them");
	if (!reader->job && !reader->global)
		return fail(reader, reader->line, "%s stands before the first section, [global] or [NAME OF THE JOB]", key);
	if (!option)
		return refuse(reader, key);
	if (!*value || strchr(value, '$') || strchr(value, '"'))
		return fail(reader, reader->line, "%s has a value that depends on something else, or none; write it out", key);
	if (strchr(value, '['))
		return fail(reader, reader->line, "%s cannot be %s: a bracket begins a section", key, value);
	if (!g_hash_table_add(reader->section, (char *)option->key))
		return fail(reader, reader->line, "%s stands twice in its section", key);
	why = option->take ? option->take(reader->ret, value) : NULL;
	if (why)
		return fail(reader, reader->line, "%s cannot be %s: %s", key, value, why);
	keep(reader, option->key, value);
	return TRUE;
}

static gboolean take_line(Reader *reader, const char *line)
{
	g_autofree char *text = g_strstrip(g_strdup(line));

	reader->line++;
	if (!*text || *text == '#' || *text == ';')
		return TRUE;
	return *text == '[' ? take_section(reader, text) : take_option(reader, text);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static guint line_of(const Reader *reader, const char *key)
{
	for (guint i = 0; i < reader->keys->len; i++)
		if (g_str_equal(reader->keys->pdata[i], key))
			return g_array_index(reader->lines, guint, i);
	return reader->line;
}

gboolean fio_file_is_synchronous(const ProfileFioFile *file)
{
	static const char *const async[] = {"libaio", "io_uring", "posixaio", NULL};

	return !g_strv_contains(async, file->ioengine);
}

static gboolean check(Reader *reader)
{
	ProfileFioFile *file = reader->ret;
	gboolean mixed = g_str_equal(file->rw, "rw") || g_str_equal(file->rw, "randrw");

	if (!reader->job)
		return fail(reader, MAX(reader->line, 1), "there is no job in it: a section [NAME] with its options");
	if (file->mix_read >= 0 && !mixed)
		return fail(reader, line_of(reader, "rwmixread"), "a share of reads means nothing with rw=%s", file->rw);
	if (mixed && file->mix_read < 0)
		file->mix_read = 50;
	if (file->rate_iops > 0 && mixed)
		return fail(reader, line_of(reader, "rate_iops"), "fio limits reads and writes apart, so a mixed job has no rate here");
	if (file->rate_iops > 0)
		file->rate_iops *= file->jobs;
	if (file->queue_depth > 1 && fio_file_is_synchronous(file))
		return fail(reader, line_of(reader, "iodepth"), "ioengine %s has one request in flight whatever is asked (fio caps its iodepth and "
			"goes on); use io_uring or libaio", file->ioengine);
	if (file->fsync_every && !g_str_equal(file->sync, "none"))
		return fail(reader, line_of(reader, "fsync"), "fsync and sync do not go together here");
	if (file->fsync_every && (g_str_equal(file->rw, "read") || g_str_equal(file->rw, "randread")))
		return fail(reader, line_of(reader, "fsync"), "a pure read has nothing to sync");
	if (file->fsync_every) {
		g_free(file->sync);
		file->sync = g_strdup("fsync");
	}
	return TRUE;
}

static void finish(Reader *reader, const char *text, gsize length)
{
	g_autoptr(GString) options = g_string_new(NULL);
	g_autofree char *base = g_path_get_basename(reader->file);
	ProfileFioFile *file = reader->ret;

	for (guint i = 0; i < reader->keys->len; i++)
		g_string_append_printf(options, "%s=%s\n", (char *)reader->keys->pdata[i], (char *)reader->values->pdata[i]);
	file->options = g_string_free(g_steal_pointer(&options), FALSE);
	file->sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
	/* What ends an option or a list elsewhere stays out of the name. */
	g_strcanon(base, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
	file->name = g_strdup_printf("fio:%s#%.12s", base, file->sha256);
}

static gboolean read_all(Reader *reader, const char *text, gsize length)
{
	g_autofree char *whole = NULL;
	g_auto(GStrv) lines = NULL;

	if (length > FIO_FILE_BYTES)
		return fail(reader, 1, "a job file longer than %d bytes is not taken", FIO_FILE_BYTES);
	if (!g_utf8_validate(text, (gssize)length, NULL))
		return fail(reader, 1, "it is no text in UTF-8");
	whole = g_strndup(text, length);
	lines = g_strsplit(whole, "\n", -1);
	for (char **line = lines; *line; line++)
		if (!take_line(reader, *line))
			return FALSE;
	return check(reader);
}

ProfileFioFile *fio_file_parse(const char *path, const char *text, gsize length, GError **error)
{
	g_autoptr(ProfileFioFile) file = g_new0(ProfileFioFile, 1);
	g_autoptr(GPtrArray) keys = g_ptr_array_new();
	g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autoptr(GHashTable) section = g_hash_table_new(g_str_hash, g_str_equal);
	Reader reader = {.file = path, .ret = file, .keys = keys, .values = values, .lines = lines, .section = section, .error = error};

	/* fio's own defaults, but for the ioengine, which depends on how it was built. */
	file->path = g_strdup(path);
	file->rw = g_strdup("read");
	file->sync = g_strdup("none");
	file->ioengine = g_strdup("psync");
	file->block_size = 4096;
	file->queue_depth = file->jobs = 1;
	file->mix_read = -1;
	file->rate_iops = -1;
	if (!read_all(&reader, text, length))
		return NULL;
	if (!g_ptr_array_find_with_equal_func(keys, "ioengine", g_str_equal, NULL))
		keep(&reader, "ioengine", file->ioengine);
	finish(&reader, text, length);
	return g_steal_pointer(&file);
}

ProfileFioFile *fio_file_read(const char *path, GError **error)
{
	g_autoptr(GError) cause = NULL;
	g_autofree char *text = NULL;
	gsize length;

	if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s is not a regular file", path);
		return NULL;
	}
	if (!g_file_get_contents(path, &text, &length, &cause)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s cannot be read: %s", path, cause->message);
		return NULL;
	}
	return fio_file_parse(path, text, length, error);
}

void fio_file_free(ProfileFioFile *file)
{
	if (!file)
		return;
	g_free(file->name);
	g_free(file->path);
	g_free(file->sha256);
	g_free(file->options);
	g_free(file->rw);
	g_free(file->sync);
	g_free(file->ioengine);
	g_free(file);
}
