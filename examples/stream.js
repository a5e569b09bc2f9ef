// Output arrives while the program runs: cove run examples/stream.js
for (let i = 1; i <= 5; i++) {
  console.log(`line ${i}`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
}
