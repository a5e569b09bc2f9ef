// Types are checked by tsc where it is installed: cove run examples/types.ts
interface Point {
  x: number;
  y: number;
}

const length = ({ x, y }: Point): number => Math.hypot(x, y);
console.log(length({ x: 3, y: 4 }));
