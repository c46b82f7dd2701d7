//! `--name value` pairs.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::store::ProofError;

/// The options of a command line.
#[derive(Debug, Default)]
pub struct CommandOptions(BTreeMap<String, String>);

impl CommandOptions {
    /// Reads pairs; `known` are the names there are.
    pub fn read(words: &[String], known: &[&str]) -> Result<Self, ProofError> {
        let mut options = BTreeMap::new();
        for pair in words.chunks(2) {
            let name = pair.first().and_then(|word| word.strip_prefix("--")).unwrap_or_default();
            let [_, value] = pair else {
                return Err(ProofError(format!("--{name} has no value")));
            };
            if !known.contains(&name) {
                let known: Vec<String> = known.iter().map(|name| format!("--{name}")).collect();
                return Err(ProofError(format!("{:?} is none of {}", pair[0], known.join(", "))));
            }
            options.insert(name.to_owned(), value.clone());
        }
        Ok(Self(options))
    }

    /// The text of an option.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The text of an option that must be there.
    pub fn needed(&self, name: &str) -> Result<&str, ProofError> {
        self.text(name).ok_or_else(|| ProofError(format!("--{name} is missing")))
    }

    /// An option, parsed.
    pub fn get<T: FromStr>(&self, name: &str, default: T) -> Result<T, ProofError> {
        let Some(text) = self.text(name) else { return Ok(default) };
        text.parse().map_err(|_| ProofError(format!("--{name} {text:?} is not a number")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_pairs_it_knows() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            CommandOptions::read(&words, &["seed", "store"])
        };
        let options = read(&["--seed", "7"]).unwrap();
        assert_eq!(options.get("seed", 1).unwrap(), 7);
        assert_eq!(options.get("store", 1).unwrap(), 1);
        assert!(options.needed("store").is_err());
        assert!(read(&["--seed", "x"]).unwrap().get("seed", 1).is_err());
        for wrong in [&["--seed"][..], &["--sead", "1"], &["seed", "1"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
