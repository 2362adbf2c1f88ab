/* One system call that changes files fails, for files under one folder: what `faults.py` puts before the C library.
 *
 * `faults_arm` says where, which call (counted from 1; 0: none, only count), whether all after it fail as well, as on a
 * full disk, and with which errno. Standing before the C library it meets every program in the process: Python, SQLite,
 * tantivy, faiss, numpy. What the C library does inside itself (`fwrite`, `fclose`) it meets at these functions; bytes
 * that wait in a buffer when `fclose` fails are lost, as they are on a full disk. Linux only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static size_t length;
static long wanted;
static int from_then_on, failing;
static atomic_long seen;
static atomic_int armed;
static char fired[PATH_MAX + 64];

void faults_arm(const char *where, long number, int forever, int error) {
    strncpy(folder, where, sizeof folder - 1);
    length = strlen(folder);
    wanted = number;
    from_then_on = forever;
    failing = error;
    fired[0] = 0;
    seen = 0;
    armed = length > 0;
}

long faults_disarm(void) { armed = 0; return seen; }
const char *faults_fired(void) { return fired; }

static int inside(const char *path) {
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Whether this call is to fail. `needs_room`: whether it would on a full disk. */
static int fails(const char *kind, const char *path, int needs_room) {
    if (!armed || !inside(path) || (from_then_on && !needs_room)) return 0;
    long number = ++seen;
    if (!wanted || number < wanted || (number > wanted && !from_then_on)) return 0;
    if (!fired[0]) snprintf(fired, sizeof fired, "%s %s", kind, path + length);
    errno = failing;
    return 1;
}

static int fails_at(const char *kind, int at, const char *path, int needs_room) {
    char whole[2 * PATH_MAX], base[PATH_MAX], link[64];
    if (!armed || !path) return 0;
    if (path[0] == '/') return fails(kind, path, needs_room);
    if (at == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    int before = errno;
    ssize_t got = readlink(link, base, sizeof base - 1);
    errno = before;
    if (got < 0) return 0;
    base[got] = 0;
    snprintf(whole, sizeof whole, "%s/%s", base, path);
    return fails(kind, whole, needs_room);
}

static int fails_on(const char *kind, int file, int needs_room) {
    return fails_at(kind, file, "", needs_room);
}

static int opening(int at, const char *path, int flags) {
    if (!armed || ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))) return 0;
    int before = errno;
    int makes = (flags & O_CREAT) && faccessat(at, path, F_OK, 0) != 0;
    errno = before;
    return fails_at(makes ? "create" : "open", at, path, makes);
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define MODE mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, int); va_end(rest); }

int open(const char *path, int flags, ...) {
    REAL(open); MODE
    return opening(AT_FDCWD, path, flags) ? -1 : real(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    REAL(open64); MODE
    return opening(AT_FDCWD, path, flags) ? -1 : real(path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
    REAL(openat); MODE
    return opening(at, path, flags) ? -1 : real(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
    REAL(openat64); MODE
    return opening(at, path, flags) ? -1 : real(at, path, flags, mode);
}
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open64(path, flags); }
int __openat_2(int at, const char *path, int flags) { return openat(at, path, flags); }
int __openat64_2(int at, const char *path, int flags) { return openat64(at, path, flags); }
int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open64(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    return fails_on("write", file, 1) ? -1 : real(file, bytes, count);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    REAL(pwrite);
    return fails_on("write", file, 1) ? -1 : real(file, bytes, count, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    REAL(pwrite64);
    return fails_on("write", file, 1) ? -1 : real(file, bytes, count, at);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(writev);
    return fails_on("write", file, 1) ? -1 : real(file, parts, count);
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
    REAL(pwritev);
    return fails_on("write", file, 1) ? -1 : real(file, parts, count, at);
}
ssize_t sendfile(int to, int from, off_t *at, size_t count);
ssize_t sendfile(int to, int from, off_t *at, size_t count) {
    REAL(sendfile);
    return fails_on("write", to, 1) ? -1 : real(to, from, at, count);
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t count);
ssize_t sendfile64(int to, int from, off64_t *at, size_t count) {
    REAL(sendfile64);
    return fails_on("write", to, 1) ? -1 : real(to, from, at, count);
}
ssize_t copy_file_range(int from, off64_t *there, int to, off64_t *at, size_t count, unsigned flags) {
    REAL(copy_file_range);
    return fails_on("write", to, 1) ? -1 : real(from, there, to, at, count, flags);
}
int posix_fallocate(int file, off_t at, off_t count) {
    REAL(posix_fallocate);
    return fails_on("write", file, 1) ? failing : real(file, at, count);
}
int fallocate(int file, int mode, off_t at, off_t count) {
    REAL(fallocate);
    return fails_on("write", file, 1) ? -1 : real(file, mode, at, count);
}

FILE *fopen(const char *path, const char *how) {
    REAL(fopen);
    return strpbrk(how, "wa+") && opening(AT_FDCWD, path, O_RDWR | O_CREAT) ? NULL : real(path, how);
}
FILE *fopen64(const char *path, const char *how) {
    REAL(fopen64);
    return strpbrk(how, "wa+") && opening(AT_FDCWD, path, O_RDWR | O_CREAT) ? NULL : real(path, how);
}
size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
    REAL(fwrite);
    return armed && fails_on("write", fileno(file), 1) ? 0 : real(bytes, size, count, file);
}
int fclose(FILE *file) {
    REAL(fclose);
    if (armed && __fpending(file) && fails_on("write at close", fileno(file), 1)) {
        __fpurge(file);
        real(file);
        errno = failing;
        return EOF;
    }
    return real(file);
}
int fflush(FILE *file) {
    REAL(fflush);
    if (armed && file && __fpending(file) && fails_on("write at flush", fileno(file), 1)) {
        __fpurge(file);
        errno = failing;
        return EOF;
    }
    return real(file);
}

int fsync(int file) {
    REAL(fsync);
    return fails_on("fsync", file, 0) ? -1 : real(file);
}
int fdatasync(int file) {
    REAL(fdatasync);
    return fails_on("fsync", file, 0) ? -1 : real(file);
}
int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    return fails_on("truncate", file, 1) ? -1 : real(file, size);
}
int ftruncate64(int file, off64_t size) {
    REAL(ftruncate64);
    return fails_on("truncate", file, 1) ? -1 : real(file, size);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    return fails_at("rename", AT_FDCWD, to, 0) ? -1 : real(from, to);
}
int renameat(int at, const char *from, int there, const char *to) {
    REAL(renameat);
    return fails_at("rename", there, to, 0) ? -1 : real(at, from, there, to);
}
int renameat2(int at, const char *from, int there, const char *to, unsigned flags) {
    REAL(renameat2);
    return fails_at("rename", there, to, 0) ? -1 : real(at, from, there, to, flags);
}
int link(const char *from, const char *to) {
    REAL(link);
    return fails_at("link", AT_FDCWD, to, 1) ? -1 : real(from, to);
}
int linkat(int at, const char *from, int there, const char *to, int flags) {
    REAL(linkat);
    return fails_at("link", there, to, 1) ? -1 : real(at, from, there, to, flags);
}
int unlink(const char *path) {
    REAL(unlink);
    return fails_at("unlink", AT_FDCWD, path, 0) ? -1 : real(path);
}
int unlinkat(int at, const char *path, int flags) {
    REAL(unlinkat);
    return fails_at(flags & AT_REMOVEDIR ? "rmdir" : "unlink", at, path, 0) ? -1 : real(at, path, flags);
}
int rmdir(const char *path) {
    REAL(rmdir);
    return fails_at("rmdir", AT_FDCWD, path, 0) ? -1 : real(path);
}
int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    return fails_at("mkdir", AT_FDCWD, path, 1) ? -1 : real(path, mode);
}
int mkdirat(int at, const char *path, mode_t mode) {
    REAL(mkdirat);
    return fails_at("mkdir", at, path, 1) ? -1 : real(at, path, mode);
}
