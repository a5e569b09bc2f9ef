#include <stdio.h>

int main(void) {
  int unused;
  printf("%d\n", averge(6, 7));
  return total;
}
