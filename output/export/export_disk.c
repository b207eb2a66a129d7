/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "output/export/export_disk.h"

#define MAX_OPEN_FILES 64
#define MAX_VACANT 64          /* most vacant directories searched for the name */
#define TRIES 100              /* most number suffixes tried before the serial number */
#define COMPARED 16384         /* bytes at once */
#define MAX_ZEROS (64u << 20)  /* zeros, for file systems without holes */
#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define FILE_FLAGS (O_RDWR | O_NOFOLLOW | O_CLOEXEC)

static void fail(struct disk *disk, const struct disk_entry *entry, const char *what)
{
	const char *advice = errno == ENOSPC || errno == EDQUOT ? " (free some space, or name a directory elsewhere)" : "";
	int error = errno;

	if (disk->failed)
		return;
	disk->failed = true;
	rtap_error_set(&disk->error, error_code_of(error), "%s: %s%s%s: %s%s", disk->path, what,
		       entry ? " " : "", entry && entry->name ? entry->name : "",
		       strerror(error), advice);
}

/* Checks that a directory is empty except "." and "..". Returns 0 or errno. */
static int is_empty(int fd, bool *empty)
{
	int copy = openat(fd, ".", DIRECTORY_FLAGS);
	struct dirent *found;
	DIR *directory;

	if (copy < 0)
		return errno;
	directory = fdopendir(copy);
	if (!directory) {
		close(copy);
		return ENOMEM;
	}
	*empty = true;
	while ((found = readdir(directory)))
		if (strcmp(found->d_name, ".") && strcmp(found->d_name, ".."))
			*empty = false;
	closedir(directory);
	return 0;
}

enum rtap_status disk_open(struct disk *disk, const char *path, struct rtap_error *error)
{
	bool empty = false;
	int result = 0;

	*disk = (struct disk){ .fd = -1, .path = path, .root = { .fd = -1 }, .serial = TRIES };
	TAILQ_INIT(&disk->opened);
	if (mkdir(path, 0777) && errno != EEXIST)
		result = errno;
	if (!result) {
		/* the user may specify a symbolic link to a directory */
		disk->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		result = disk->fd < 0 ? errno : is_empty(disk->fd, &empty);
	}
	if (result) {
		rtap_error_set(error, error_code_of(result), "%s: %s (name a new or empty directory)", path, strerror(result));
	} else if (!empty) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "%s: the directory is not empty (name a new or empty one)", path);
		result = ENOTEMPTY;
	}
	if (result && disk->fd >= 0) {
		close(disk->fd);
		disk->fd = -1;
	}
	return result ? RTAP_STATUS_FAILED : RTAP_STATUS_OK;
}

/* Opens a directory; the caller closes the descriptor. -1: failed. */
static int open_directory(struct disk *disk, const struct disk_entry *entry)
{
	const struct disk_entry *path[DISK_MAX_DEPTH];
	unsigned depth = 0;
	int fd;

	for (; entry->parent; entry = entry->parent)
		path[depth++] = entry;
	fd = openat(disk->fd, ".", DIRECTORY_FLAGS);
	while (fd >= 0 && depth) {
		int inner = openat(fd, path[--depth]->name, DIRECTORY_FLAGS);
		int error = errno;

		close(fd);
		errno = error;
		fd = inner;
	}
	if (fd < 0)
		fail(disk, NULL, "cannot open a directory in it");
	return fd;
}

/* Appends the number to a name in use, replacing its end if it is too long. */
static void number_name(const char *component, char separator, uint32_t number, char numbered[DISK_NAME_MAX + 1])
{
	char after[16];
	int added = snprintf(after, sizeof after, "%c%u", separator, number);
	size_t kept = strlen(component);

	if (kept + (size_t)added > DISK_NAME_MAX)
		kept = DISK_NAME_MAX - (size_t)added;
	memcpy(numbered, component, kept);
	memcpy(numbered + kept, after, (size_t)added + 1);
}

/* Tries one name. Returns 0 or errno. */
struct attempt {
	int directory;              /* target directory */
	bool make_directory;
	int from;                   /* current directory of an entry to move; -1: a new entry */
	const char *from_name;
	int fd;                     /* of the new file */
};

static int try_name(struct attempt *attempt, const char *name)
{
	struct stat status;

	if (attempt->from >= 0) {
		if (!fstatat(attempt->directory, name, &status, AT_SYMLINK_NOFOLLOW))
			return EEXIST;
		return renameat(attempt->from, attempt->from_name, attempt->directory, name) ? errno : 0;
	}
	if (attempt->make_directory)
		return mkdirat(attempt->directory, name, 0777) ? errno : 0;
	attempt->fd = openat(attempt->directory, name, FILE_FLAGS | O_CREAT | O_EXCL, 0666);
	return attempt->fd < 0 ? errno : 0;
}

/* Finds an unused name. Returns a copy of it, or NULL and errno. */
static char *find_name(struct disk *disk, struct attempt *attempt, const struct disk_entry *parent, const char *component, char separator)
{
	bool reserved = !parent->parent && !strcmp(component, DISK_BY_HANDLE) && separator == '~';
	char name[DISK_NAME_MAX + 1];
	int result = EEXIST;

	strcpy(name, component);
	if (!reserved)
		result = try_name(attempt, name);
	for (uint32_t n = 2; result == EEXIST && n < UINT32_MAX; n++) {
		number_name(component, separator, n < TRIES ? n : ++disk->serial, name);
		result = try_name(attempt, name);
	}
	errno = result;
	return result ? NULL : strdup(name);
}

static unsigned depth_of(const struct disk_entry *entry)
{
	unsigned depth = 0;

	for (; entry->parent; entry = entry->parent)
		depth++;
	return depth;
}

/* Updates the height of the parent directories. */
static void raise_height(const struct disk_entry *entry)
{
	unsigned height = entry->height + 1;

	for (struct disk_entry *above = entry->parent; above; above = above->parent, height++)
		if (above->height < height)
			above->height = height;
}

void disk_vacate(struct disk *disk, struct disk_entry *directory)
{
	SLIST_INSERT_HEAD(&disk->vacant, directory, vacated);
}

static struct disk_entry *take_vacant(struct disk *disk, const struct disk_entry *parent, const char *name)
{
	struct disk_entry *found;
	unsigned tried = 0;

	SLIST_FOREACH(found, &disk->vacant, vacated) {
		if (tried++ == MAX_VACANT)
			return NULL;
		if (found->parent == parent && !strcmp(found->name, name))
			break;
	}
	if (found)
		SLIST_REMOVE(&disk->vacant, found, disk_entry, vacated);
	return found;
}

struct disk_entry *disk_make(struct disk *disk, struct disk_entry *parent, const uint8_t *name, size_t length, bool directory,
			     char separator)
{
	struct attempt attempt = { .directory = -1, .make_directory = directory, .from = -1, .fd = -1 };
	char component[DISK_NAME_MAX + 1];
	struct disk_entry *entry;

	if (disk->failed || depth_of(parent) + 1 > DISK_MAX_DEPTH)
		return NULL;
	name_text(name, length, component);
	entry = directory ? take_vacant(disk, parent, component) : NULL;
	if (entry)
		return entry;
	entry = calloc(1, sizeof *entry);
	attempt.directory = open_directory(disk, parent);
	if (!entry || attempt.directory < 0)
		goto out;
	entry->parent = parent;
	entry->is_directory = directory;
	entry->fd = -1;
	entry->name = find_name(disk, &attempt, parent, component, separator);
	if (attempt.fd >= 0)
		close(attempt.fd);
	if (!entry->name)
		goto out;
	close(attempt.directory);
	raise_height(entry);
	SLIST_INSERT_HEAD(&disk->entries, entry, link);
	disk->memory += sizeof *entry + strlen(entry->name);
	return entry;
out:
	fail(disk, NULL, directory ? "cannot make a directory in it" : "cannot make a file in it");
	if (attempt.directory >= 0)
		close(attempt.directory);
	free(entry);
	return NULL;
}

struct disk_entry *disk_by_handle(struct disk *disk)
{
	/* the separator keeps this name from other entries */
	if (!disk->by_handle)
		disk->by_handle = disk_make(disk, &disk->root, (const uint8_t *)DISK_BY_HANDLE, sizeof DISK_BY_HANDLE - 1, true, '-');
	return disk->by_handle;
}

static bool may_move(const struct disk_entry *entry, const struct disk_entry *parent)
{
	unsigned depth = depth_of(parent) + 1;

	for (; parent; parent = parent->parent)
		if (parent == entry)
			return false;
	return depth + entry->height <= DISK_MAX_DEPTH;
}

void disk_move(struct disk *disk, struct disk_entry *entry, struct disk_entry *parent, const uint8_t *name, size_t length)
{
	struct attempt attempt = { .directory = -1, .from = -1, .from_name = entry->name, .fd = -1 };
	char component[DISK_NAME_MAX + 1], *found = NULL;

	if (disk->failed || !may_move(entry, parent))
		return;
	attempt.directory = open_directory(disk, parent);
	if (attempt.directory >= 0)
		attempt.from = open_directory(disk, entry->parent);
	if (attempt.from >= 0) {
		name_text(name, length, component);
		found = find_name(disk, &attempt, parent, component, '~');
		if (found) {
			free(entry->name);
			entry->name = found;
			entry->parent = parent;
			raise_height(entry);
		} else {
			fail(disk, entry, "cannot rename");
		}
		close(attempt.from);
	}
	if (attempt.directory >= 0)
		close(attempt.directory);
}

static void close_file(struct disk *disk, struct disk_entry *entry)
{
	TAILQ_REMOVE(&disk->opened, entry, opened);
	disk->open_files--;
	/* some file systems report lack of space only here */
	if (close(entry->fd) && errno != EINTR)
		fail(disk, entry, "cannot write");
	entry->fd = -1;
}

/* Opens a file if necessary and makes it the most recently used. */
static bool use_file(struct disk *disk, struct disk_entry *entry)
{
	int directory;

	if (disk->failed)
		return false;
	if (entry->fd >= 0) {
		TAILQ_REMOVE(&disk->opened, entry, opened);
	} else {
		if (disk->open_files == MAX_OPEN_FILES)
			close_file(disk, TAILQ_FIRST(&disk->opened));
		directory = open_directory(disk, entry->parent);
		if (directory < 0)
			return false;
		entry->fd = openat(directory, entry->name, FILE_FLAGS);
		if (entry->fd < 0)
			fail(disk, entry, "cannot open");
		close(directory);
		if (entry->fd < 0)
			return false;
		disk->open_files++;
	}
	TAILQ_INSERT_TAIL(&disk->opened, entry, opened);
	return true;
}

/* Handles the result of a file operation: an offset that the file system does not support is not a failure. */
static bool judge(struct disk *disk, const struct disk_entry *entry, const char *what)
{
	if (errno == EFBIG || errno == EINVAL || errno == EOVERFLOW)
		disk->too_far++;
	else
		fail(disk, entry, what);
	return false;
}

static bool fits(struct disk *disk, uint64_t offset, uint64_t length)
{
	if (offset <= INT64_MAX && length <= INT64_MAX - offset)
		return true;
	disk->too_far++;
	return false;
}

bool disk_write(struct disk *disk, struct disk_entry *entry, uint64_t offset, const uint8_t *bytes, uint64_t length)
{
	if (!fits(disk, offset, length) || !use_file(disk, entry))
		return false;
	while (length) {
		ssize_t written = pwrite(entry->fd, bytes, length, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return judge(disk, entry, "cannot write");
		bytes += written;
		offset += (uint64_t)written;
		length -= (uint64_t)written;
	}
	if (offset > entry->size)
		entry->size = offset;
	return true;
}

bool disk_read(struct disk *disk, struct disk_entry *entry, uint64_t offset, uint8_t *bytes, size_t length)
{
	if (!fits(disk, offset, length) || !use_file(disk, entry))
		return false;
	while (length) {
		ssize_t got = pread(entry->fd, bytes, length, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			fail(disk, entry, "cannot read");
			return false;
		}
		if (!got) {
			memset(bytes, 0, length);
			break;
		}
		bytes += got;
		offset += (uint64_t)got;
		length -= (size_t)got;
	}
	return true;
}

bool disk_holds(struct disk *disk, struct disk_entry *entry, uint64_t offset, const uint8_t *bytes, uint64_t length)
{
	uint8_t block[COMPARED];

	for (uint64_t done = 0; done < length;) {
		size_t here = length - done < sizeof block ? (size_t)(length - done) : sizeof block;

		if (!disk_read(disk, entry, offset + done, block, here) || memcmp(block, bytes + done, here) != 0)
			return false;
		done += here;
	}
	return true;
}

bool disk_resize(struct disk *disk, struct disk_entry *entry, uint64_t size)
{
	if (size == entry->size)
		return true;
	if (!fits(disk, size, 0) || !use_file(disk, entry))
		return false;
	if (ftruncate(entry->fd, (off_t)size))
		return judge(disk, entry, "cannot change the size of");
	entry->size = size;
	return true;
}

static bool write_zeros(struct disk *disk, struct disk_entry *entry, uint64_t offset, uint64_t length)
{
	static const uint8_t zeros[4096];

	if (length > MAX_ZEROS) {
		errno = EOPNOTSUPP;
		fail(disk, entry, "the file system cannot make holes in");
		return false;
	}
	while (length) {
		size_t here = length < sizeof zeros ? length : sizeof zeros;

		if (!disk_write(disk, entry, offset, zeros, here))
			return false;
		offset += here;
		length -= here;
	}
	return true;
}

bool disk_punch(struct disk *disk, struct disk_entry *entry, uint64_t offset, uint64_t length)
{
	if (offset >= entry->size || !length)
		return true;
	if (length > entry->size - offset)
		length = entry->size - offset;
	if (!use_file(disk, entry))
		return false;
	if (!fallocate(entry->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length))
		return true;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return judge(disk, entry, "cannot make a hole in");
	return write_zeros(disk, entry, offset, length);
}

void disk_line_path(const struct disk_entry *entry, struct line *line)
{
	const struct disk_entry *path[DISK_MAX_DEPTH];
	unsigned depth = 0;

	for (; entry->parent; entry = entry->parent)
		path[depth++] = entry;
	while (depth) {
		line_text(line, path[--depth]->name);
		if (depth)
			line_char(line, '/');
	}
}

enum rtap_status disk_close(struct disk *disk, struct rtap_error *error)
{
	struct disk_entry *entry;

	while ((entry = TAILQ_FIRST(&disk->opened)))
		close_file(disk, entry);
	while ((entry = SLIST_FIRST(&disk->entries))) {
		SLIST_REMOVE_HEAD(&disk->entries, link);
		free(entry->name);
		free(entry);
	}
	if (disk->fd >= 0) {
		/* removes the directory if all its files have been moved */
		if (unlinkat(disk->fd, DISK_BY_HANDLE, AT_REMOVEDIR))
			errno = 0;
		close(disk->fd);
	}
	disk->fd = -1;
	if (disk->failed && error)
		*error = disk->error;
	return disk->failed ? RTAP_STATUS_FAILED : RTAP_STATUS_OK;
}
