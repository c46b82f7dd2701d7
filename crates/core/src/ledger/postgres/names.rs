//! Tables by their names in the schema that was chosen.

/// The schema and what the names of the tables begin with; both are checked before they come here.
#[derive(Debug, Clone)]
pub(super) struct TableNames {
    pub(super) schema: String,
    pub(super) prefix: String,
}

impl TableNames {
    /// A statement in which each `@name` is the table (index, sequence) of that name, quoted.
    pub(super) fn sql(&self, text: &str) -> String {
        let mut parts = text.split('@');
        let mut sql = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part
                .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                .unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            sql.push_str(&self.quoted(name));
            sql.push_str(rest);
        }
        sql
    }

    /// A table, with its schema.
    pub(super) fn quoted(&self, name: &str) -> String {
        format!("\"{}\".\"{}{name}\"", self.schema, self.prefix)
    }

    /// What others are told through, and what stands for this ledger in a lock.
    pub(super) fn channel(&self) -> String {
        format!("countersign_{}_{}", self.schema, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_nothing_else_is_touched() {
        let names = TableNames { schema: "s".into(), prefix: "p_".into() };
        assert_eq!(
            names.sql("SELECT @a.x FROM @a, @b_c WHERE $1 = ANY($2)"),
            "SELECT \"s\".\"p_a\".x FROM \"s\".\"p_a\", \"s\".\"p_b_c\" WHERE $1 = ANY($2)"
        );
        assert_eq!(names.sql("@a"), "\"s\".\"p_a\"");
    }
}
