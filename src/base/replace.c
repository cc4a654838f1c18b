/* replace.c: a file that takes the place of another as a whole. See replace.h. */
#define _XOPEN_SOURCE 700 /* lstat, fchmod */
#include "base/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum {
  ATTEMPTS = 1000, /* names that others may have taken */
  LONGEST = 200,   /* bytes of a name that are used: with the ending it is one, too */
  OLD = 600        /* s */
};
#define ENDING ".new-"

static brink_status fail(brink_replacement *self, const char *reason) {
  self->reason = reason;
  return BRINK_ERR_FILE;
}

static brink_status fail_errno(brink_replacement *self) {
  return fail(self, strerror(errno));
}

static brink_status fail_memory(brink_replacement *self) {
  self->reason = "out of memory";
  return BRINK_ERR_MEMORY;
}

/* Where the name begins in a path. */
static size_t name_at(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* ---- beginning ---- */

static brink_status find_target(brink_replacement *self, const char *path) {
  struct stat was, found;
  self->replaces = stat(path, &was) == 0;
  if (!self->replaces && errno != ENOENT) return fail_errno(self);
  if (self->replaces && !S_ISREG(was.st_mode))
    return fail(self, S_ISDIR(was.st_mode) ? "it is a directory" : "it is not a regular file");
  if (!brink_file_follow(path, &self->target)) return fail_memory(self);
  if (self->target.data[name_at(self->target.data)] == '\0') return fail(self, strerror(ENOENT));
  bool there = lstat(self->target.data, &found) == 0;
  if (!self->replaces) return there ? fail(self, "its links lead nowhere") : BRINK_OK;
  /* Links of the kernel (/proc/self/fd/1) say where a file was. */
  if (!there || found.st_dev != was.st_dev || found.st_ino != was.st_ino)
    return fail(self, "its links lead nowhere");
  self->mode = was.st_mode & 0777;
  return BRINK_OK;
}

/* Bytes of the target that begin the new name; no character is cut. */
static int length_kept(const char *target) {
  size_t begin = name_at(target), length = strlen(target);
  if (length - begin > LONGEST) {
    length = begin + LONGEST;
    while (length > begin + 1 && ((unsigned char)target[length] & 0xc0) == 0x80) length--;
  }
  return (int)length;
}

static brink_status create_beside(brink_replacement *self) {
  const char *target = self->target.data;
  int length = length_kept(target);
  mode_t mode = self->replaces ? 0600 : 0666; /* it is never open to more than the old one */
  for (int k = 0; k < ATTEMPTS && self->file < 0; k++) {
    self->beside.length = 0;
    brink_text_add(&self->beside, "%.*s" ENDING "%ld-%d", length, target, (long)getpid(), k);
    if (self->beside.failed) return fail_memory(self);
    self->file =
        open(self->beside.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (self->file < 0 && errno != EEXIST) break;
  }
  return self->file >= 0 ? BRINK_OK : fail_errno(self);
}

brink_status brink_replacement_begin(brink_replacement *self, const char *path) {
  *self = (brink_replacement){.file = -1};
  brink_status status = find_target(self, path);
  return status == BRINK_OK ? create_beside(self) : status;
}

/* ---- writing ---- */

brink_status brink_replacement_write(brink_replacement *self, const void *bytes, size_t size) {
  const char *rest = bytes;
  while (size > 0) {
    ssize_t count = write(self->file, rest, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(self);
    rest += count;
    size -= (size_t)count;
  }
  return BRINK_OK;
}

/* The folder of the target; NULL: there is no such, or no memory. */
static DIR *open_folder(const brink_replacement *self) {
  brink_text folder = {0};
  size_t length = name_at(self->target.data);
  brink_text_add(&folder, "%.*s", (int)length, length > 0 ? self->target.data : "");
  DIR *opened = folder.failed ? NULL : opendir(length > 0 ? folder.data : ".");
  brink_text_free(&folder);
  return opened;
}

/* The entry in the folder is on the disk, too; where a folder cannot be synchronised, it is as good as it gets. */
static void settle_folder(const brink_replacement *self) {
  DIR *folder = open_folder(self);
  if (folder == NULL) return;
  fsync(dirfd(folder));
  closedir(folder);
}

brink_status brink_replacement_put(brink_replacement *self) {
  int file = self->file;
  bool fine = (!self->replaces || fchmod(file, self->mode) == 0) && fsync(file) == 0;
  brink_status status = fine ? BRINK_OK : fail_errno(self);
  self->file = -1;
  if (close(file) != 0 && fine) status = fail_errno(self);
  if (status == BRINK_OK && rename(self->beside.data, self->target.data) != 0)
    status = fail_errno(self);
  if (status != BRINK_OK) {
    unlink(self->beside.data);
    return status;
  }
  settle_folder(self);
  return BRINK_OK;
}

void brink_replacement_end(brink_replacement *self) {
  if (self->file >= 0) {
    close(self->file);
    unlink(self->beside.data);
  }
  brink_text_free(&self->target);
  brink_text_free(&self->beside);
}

/* ---- what others have left ---- */

/* PID-K */
static bool is_ending(const char *text) {
  size_t process = strspn(text, "0123456789");
  if (process == 0 || text[process] != '-') return false;
  text += process + 1;
  size_t attempt = strspn(text, "0123456789");
  return attempt > 0 && text[attempt] == '\0';
}

void brink_replacement_tidy(const brink_replacement *self) {
  struct stat own, found; /* the clock is that of the disk, which may be another machine's */
  const char *name = self->beside.data + name_at(self->target.data);
  size_t prefix = (size_t)(strrchr(name, '-') - name);
  while (name[prefix - 1] != '-') prefix--; /* before the number of the process */
  DIR *folder = fstat(self->file, &own) == 0 ? open_folder(self) : NULL;
  if (folder == NULL) return;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (strncmp(entry->d_name, name, prefix) != 0 || !is_ending(entry->d_name + prefix)) continue;
    if (fstatat(dirfd(folder), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(found.st_mode) && found.st_uid == geteuid() && found.st_nlink == 1 &&
        found.st_mtime < own.st_mtime - OLD)
      unlinkat(dirfd(folder), entry->d_name, 0);
  }
  closedir(folder);
}
