/*
 * The kernel's side of /dev/gpiochip0, for programs that are started with this in LD_PRELOAD.
 *
 * The levels of the lines are bytes of the file "levels" in the folder GPIOCHIP. The events of a
 * line that is watched are read from a named pipe there, as whoever plays the contact wrote them.
 * A line that is in use is refused, as the kernel does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES 54

static int chip = -1;
static int used[LINES]; /* the file of a line that is in use, plus one */
static uint64_t flags[LINES];
static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static int (*real_ioctl)(int, unsigned long, ...);

__attribute__((constructor)) static void find(void)
{
	real_open = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	real_close = (int (*)(int))dlsym(RTLD_NEXT, "close");
	real_ioctl = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
}

static int at(const char *name, int mode)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", getenv("GPIOCHIP"), name);
	return real_open(path, mode | O_CLOEXEC);
}

static int line_of(int fd)
{
	for (int line = 0; line < LINES; line++)
		if (used[line] == fd + 1)
			return line;
	return -1;
}

int open(const char *path, int mode, ...)
{
	va_list more;
	mode_t bits;

	va_start(more, mode);
	bits = mode & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
	va_end(more);
	if (strcmp(path, "/dev/gpiochip0"))
		return real_open(path, mode, bits);
	return chip = memfd_create("gpiochip0", MFD_CLOEXEC);
}

int close(int fd)
{
	int line = fd < 0 ? -1 : line_of(fd);

	if (line >= 0)
		used[line] = 0;
	if (fd == chip)
		chip = -1;
	return real_close(fd);
}

static int request(struct gpio_v2_line_request *wanted)
{
	uint32_t line = wanted->offsets[0];
	uint64_t edges = GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING;
	char name[16];

	if (wanted->num_lines != 1 || line >= LINES) {
		errno = EINVAL;
		return -1;
	}
	if (used[line]) {
		errno = EBUSY;
		return -1;
	}
	snprintf(name, sizeof name, "%u", line);
	wanted->fd = wanted->config.flags & edges ? at(name, O_RDWR | O_NONBLOCK)
						  : memfd_create(name, MFD_CLOEXEC);
	if (wanted->fd < 0)
		return -1;
	used[line] = wanted->fd + 1;
	flags[line] = wanted->config.flags;
	return 0;
}

static int values(int fd, struct gpio_v2_line_values *wanted)
{
	uint8_t level = 1;
	int levels = at("levels", O_RDONLY), got = pread(levels, &level, 1, line_of(fd));

	real_close(levels);
	wanted->bits = level;
	return got == 1 ? 0 : -1;
}

int ioctl(int fd, unsigned long what, ...)
{
	va_list more;
	void *argument;

	va_start(more, what);
	argument = va_arg(more, void *);
	va_end(more);
	if (fd == chip && what == GPIO_GET_CHIPINFO_IOCTL) {
		struct gpiochip_info *info = argument;

		strcpy(info->name, "gpiochip0");
		info->lines = LINES;
		return 0;
	}
	if (fd == chip && what == GPIO_V2_GET_LINEINFO_IOCTL) {
		struct gpio_v2_line_info *info = argument;

		info->flags = flags[info->offset] | (used[info->offset] ? GPIO_V2_LINE_FLAG_USED : 0);
		return 0;
	}
	if (fd == chip && what == GPIO_V2_GET_LINE_IOCTL)
		return request(argument);
	if (what == GPIO_V2_LINE_GET_VALUES_IOCTL && line_of(fd) >= 0)
		return values(fd, argument);
	return real_ioctl(fd, what, argument);
}
