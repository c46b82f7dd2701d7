//! Command lines from a seed: by a grammar, by mutation of its output, and by mutation of a corpus.
//!
//! Most commands in them are allowed by [`crate::policy`], so that the verdict is often *allow* and there is something to
//! refute. Commands that are not allowed stand mostly where no shell should run them: in quotes, comments, here-documents.

mod compound;
mod counting;
mod evaluating;
mod grammar;
mod languages;
mod links;
mod mutate;
mod words;
mod wrapping;

use fastrand::Rng;

/// Scripts that the mutations begin with. Parted by lines of `%%`.
const SEEDS: &str = include_str!("seeds.txt");

/// The seeds, in order.
pub fn seeds() -> impl Iterator<Item = &'static str> {
    SEEDS.split("\n%%\n").map(|seed| seed.trim_end_matches('\n')).filter(|seed| !seed.is_empty())
}

/// The script with this number of the campaign with this seed. Always the same one.
pub fn script(seed: u64, number: u64) -> String {
    let mut rng = Rng::with_seed(
        seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd134_2543_de82_ef95),
    );
    let rng = &mut rng;
    let corpus: Vec<&str> = seeds().collect();
    let script = match rng.u8(..100) {
        0..45 => grammar::script(rng),
        45..70 => {
            let script = grammar::script(rng);
            mutate::mutate(rng, &script, &corpus)
        }
        _ => {
            let script = rng.choice(&corpus).copied().unwrap_or_default();
            mutate::mutate(rng, script, &corpus)
        }
    };
    // No shell can be given a NUL.
    script.replace('\0', "")
}

/// One of these.
fn pick<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    rng.choice(from).copied().unwrap_or_default()
}

/// True this often of a hundred times.
fn often(rng: &mut Rng, percent: u8) -> bool {
    rng.u8(..100) < percent
}
