/* What pages.f90 calls. */
#include <fcntl.h>
#include <unistd.h>

static int *kept;

void keep(int *p) { kept = p; }

void put(int at, int value) { kept[at - 1] = value; }

int get(int at) { return kept[at - 1]; }

int around(void (*f)(void))
{
    kept[100000] = 4;
    f();
    int sum = kept[100000] + kept[100001] + kept[6];
    kept[100000] = 40;
    return sum;
}

int read_zeros(int *p, int bytes)
{
    int file = open("/dev/zero", O_RDONLY), got = read(file, p, bytes);
    close(file);
    return got;
}

int total(const int *p, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += p[i];
    return sum;
}
