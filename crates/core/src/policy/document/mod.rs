//! A policy as it is written: TOML, JSON or an object, with one schema.

mod model;

pub use model::{
    Arguments, CommandPattern, Document, Examples, Layer, Located, Match, Mode, Place, Reading,
    Rule, Source, Token,
};
