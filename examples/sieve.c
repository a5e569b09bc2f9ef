#include <stdio.h>
#include <string.h>

enum { kLimit = 1000 };

int main(void) {
  char composite[kLimit + 1];
  memset(composite, 0, sizeof composite);
  int count = 0;
  for (int n = 2; n <= kLimit; ++n) {
    if (composite[n]) continue;
    ++count;
    for (int multiple = n * n; multiple <= kLimit; multiple += n) composite[multiple] = 1;
  }
  printf("%d primes up to %d\n", count, kLimit);
}
