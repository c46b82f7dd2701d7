//! How what crosses is asked: `{ name: arguments }`, a type for each operation, with its arguments, its answer and what it does.

use countersign_core::gate::GateError;
use serde::Serialize;

/// Something that can be asked of a `HOST`: its arguments.
pub(crate) trait Operate<HOST> {
    /// What it answers.
    type Answer: Serialize;

    fn perform(self, host: HOST) -> Result<Self::Answer, GateError>;
}

/// Nothing is answered but that it is done.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "void"))]
pub(crate) struct Done;

/// The enum `Operation` over these operations, and their table for TypeScript.
macro_rules! operations {
    ($table:ident, $told:literal, $host:ty: $($name:ident($arguments:ty),)*) => {
        /// What is asked: `{ name: arguments }`. The name is written in this form, the arguments are read without a copy.
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        enum Operation {
            $($name($arguments),)*
        }

        impl Operation {
            fn perform(self, host: $host) -> String {
                use $crate::operations::Operate;
                match self {
                    $(Self::$name(arguments) => $crate::envelope::envelope(
                        <$arguments as Operate<$host>>::perform(arguments, host)
                    ),)*
                }
            }

            #[cfg(test)]
            fn types(mut all: $crate::types::Declarations) -> $crate::types::Declarations {
                use $crate::operations::Operate;
                let mut rows = String::new();
                $(
                    all = all.with::<$arguments>().with::<<$arguments as Operate<$host>>::Answer>();
                    let takes = all.name_of::<$arguments>();
                    let answers = all.name_of::<<$arguments as Operate<$host>>::Answer>();
                    let name = stringify!($name);
                    let (first, rest) = name.split_at(1);
                    let name = format!("{}{rest}", first.to_lowercase());
                    rows.push_str(&format!("  {name}: {{ takes: {takes}; answers: {answers} }};\n"));
                )*
                let table = stringify!($table);
                all.declare(
                    table,
                    &format!("/** {} */\nexport type {table} = {{\n{rows}}};", $told),
                )
            }
        }
    };
}
pub(crate) use operations;
