/*
 * Memory in place of a DMA heap, for programs that share pictures with no device.
 *
 *     cc -shared -fPIC -o dma_heap.so dma_heap.c && LD_PRELOAD=./dma_heap.so program
 *
 * libcamera and picamera2 keep their pictures in buffers of /dev/dma_heap. A kernel without such
 * heaps has no such file; this gives them plain shared memory under the same calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static const char heap[] = "/dev/dma_heap/linux,cma";

static int opened(const char *name, const char *path, int flags, mode_t mode)
{
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);

	return strcmp(path, heap) ? real(path, flags, mode) : memfd_create("heap", MFD_CLOEXEC);
}

#define OPEN(name)                                                \
	int name(const char *path, int flags, ...)                \
	{                                                         \
		va_list more;                                     \
		mode_t mode;                                      \
                                                                  \
		va_start(more, flags);                            \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
		va_end(more);                                     \
		return opened(#name, path, flags, mode);          \
	}

OPEN(open)
OPEN(open64)

int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, ...);
	va_list more;
	void *argument;

	va_start(more, request);
	argument = va_arg(more, void *);
	va_end(more);
	/* Some callers pass the request as an int, whose sign is extended. */
	switch (request & 0xffffffffUL) {
	case DMA_HEAP_IOCTL_ALLOC: {
		struct dma_heap_allocation_data *wanted = argument;
		int made = memfd_create("buffer", MFD_CLOEXEC);

		if (made < 0 || ftruncate(made, wanted->len))
			return -1;
		wanted->fd = made;
		return 0;
	}
	case DMA_BUF_SET_NAME_A & 0xffffffffUL:
	case DMA_BUF_SET_NAME_B & 0xffffffffUL:
	case DMA_BUF_IOCTL_SYNC:
		return 0;
	}
	if (!real)
		real = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	return real(fd, request, argument);
}
