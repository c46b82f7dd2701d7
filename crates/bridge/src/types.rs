//! The types for TypeScript, made of those here: `ts/wire.ts`.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use ts_rs::{Config, TS, TypeVisitor};

/// A list that is only read.
pub(crate) struct List<T>(PhantomData<T>);

impl<T: TS + 'static> TS for List<T> {
    type WithoutGenerics = List<ts_rs::Dummy>;
    type OptionInnerType = Self;

    fn name(cfg: &Config) -> String {
        format!("readonly {}[]", T::name(cfg))
    }

    fn inline(cfg: &Config) -> String {
        Self::name(cfg)
    }

    fn visit_dependencies(visitor: &mut impl TypeVisitor) {
        visitor.visit::<T>();
        T::visit_dependencies(visitor);
    }
}

/// Declarations by their names, each once.
pub(crate) struct Declarations {
    cfg: Config,
    seen: Vec<TypeId>,
    found: BTreeMap<String, String>,
}

impl Declarations {
    pub(crate) fn new() -> Self {
        // What is larger than a `number` holds is refused, or is no count that anything reaches.
        let cfg = Config::new().with_large_int("number");
        Self { cfg, seen: Vec::new(), found: BTreeMap::new() }
    }

    /// This type and all that it is made of.
    pub(crate) fn with<T: TS + 'static + ?Sized>(mut self) -> Self {
        self.visit::<T>();
        self
    }

    /// How the type is written.
    pub(crate) fn name_of<T: TS + 'static + ?Sized>(&self) -> String {
        T::name(&self.cfg)
    }

    /// One that no type here is.
    pub(crate) fn declare(mut self, name: &str, text: &str) -> Self {
        self.found.insert(name.to_owned(), text.to_owned());
        self
    }

    pub(crate) fn text(&self) -> String {
        self.found.values().map(|text| format!("\n{}\n", one_line(text))).collect()
    }
}

/// Comments of one line on one line, and no blanks at the ends of lines.
fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").replace("/**\n * ", "/** ").replace("\n */", " */")
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let id = TypeId::of::<T>();
        if self.seen.contains(&id) {
            return;
        }
        self.seen.push(id);
        if T::output_path().is_some() {
            let name = T::ident(&self.cfg);
            let text = format!("{}export {}", T::docs().unwrap_or_default(), T::decl(&self.cfg));
            let before = self.found.insert(name.clone(), text.clone());
            assert!(before.is_none_or(|before| before == text), "two types are called {name}");
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}
