fn area(width: u32, height: u32) -> u32 {
    width * height
}

fn main() {
    let depth = 3;
    println!("{}", area(4, "five"));
}
