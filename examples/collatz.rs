// Rust: compiled in the sandbox, then run in another; the second time no compiler runs.
fn steps(mut n: u64) -> u32 {
    let mut count = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        count += 1;
    }
    count
}

fn main() {
    let longest = (1..10_000).max_by_key(|&n| steps(n)).unwrap();
    println!("below 10000, {longest} takes longest: {} steps", steps(longest));
}
