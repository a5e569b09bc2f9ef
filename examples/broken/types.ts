interface Point {
  x: number;
  y: number;
}

const origin: Point = { x: 0 };
console.log(origin.y.toFixed(1));
