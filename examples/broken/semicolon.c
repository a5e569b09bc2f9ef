#include <stdio.h>

int main(void) {
  int unused;
  printf("%d\n", 6 * 7)
  return 0;
}
