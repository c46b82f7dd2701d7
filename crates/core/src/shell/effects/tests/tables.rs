//! The tables can be read, what they name is there, and options whose names say what they do are listed so.

use crate::shell::effects::spec::OperandUse;
use crate::shell::effects::{reads_names_only, tables};

/// Options that are called as if they followed symlinks below a folder, and do not, or go on to what no folder tells.
const FOLLOW_NO_LINKS: &[(&str, &str)] = &[
    // More of a file as it grows, or more of its lines.
    ("tail", "follow"),
    ("less", "follow-name"),
    ("more", "logical"),
    // Where an answer sends one.
    ("http", "follow"),
    ("xh", "follow"),
    // Where a path leads, whose name alone is told.
    ("realpath", "logical"),
    ("pwd", "logical"),
    ("stat", "dereference"),
    ("locate", "follow"),
    // A file that is spelled out.
    ("file", "dereference"),
    ("sed", "follow-symlinks"),
    ("gsed", "follow-symlinks"),
    ("patch", "follow-symlinks"),
    ("ln", "logical"),
    ("gln", "logical"),
    // Where all that is below is written, all links are looked at.
    ("chown", "dereference"),
    ("chgrp", "dereference"),
    ("chcon", "dereference"),
];

#[test]
fn each_line_of_each_table_is_understood() {
    let faults = crate::shell::effects::tables().check();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn files_of_settings_stand_with_the_program_and_each_once() {
    let mut seen = 0;
    for (parent, program) in tables().all() {
        let told_by = &program.told_by;
        let mut names: Vec<&str> = told_by.names().collect();
        assert!(
            parent.is_none() || names.is_empty(),
            "{}: it is the program that reads them",
            program.path
        );
        let naming = told_by.members_by.iter().map(|(file, _)| file);
        let mut others = told_by.extending.iter().chain(&told_by.members).chain(naming);
        let going_on = others.all(|name| names.contains(name));
        assert!(going_on, "{}: what goes on, or what members have, is not listed", program.path);
        assert_eq!(
            told_by.members.is_empty(),
            told_by.members_by.is_empty(),
            "{}: members are named by some word",
            program.path
        );
        let many = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), many, "{}: a name stands twice", program.path);
        seen += usize::from(many > 0);
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn an_option_that_follows_links_is_listed_so() {
    let follows = |name: &str| {
        let links = name.contains("link");
        !["no-", "dont-", "hard", "skip-"].iter().any(|not| name.starts_with(not))
            && (name.starts_with("deref")
                || matches!(name, "follow" | "logical")
                || links && ["follow", "copy", "deref"].iter().any(|it| name.contains(it)))
    };
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (_, program) in tables().all() {
        // Of git these are names that a file had, and tags.
        if program.path == "git" || program.path.starts_with("git.") {
            continue;
        }
        let names_only = reads_names_only(program.path);
        for (name, meaning) in &program.longs {
            let known = program.names.iter().chain([&program.path]);
            let known = known.into_iter().any(|path| FOLLOW_NO_LINKS.contains(&(path, name)));
            if !follows(name) || names_only || known {
                continue;
            }
            seen += 1;
            let harmless = matches!(
                meaning.uses,
                OperandUse::Nothing | OperandUse::Keep(_) | OperandUse::Recursive
            );
            // One reading of several is enough.
            let told = program.long(name).iter().any(|(_, it)| {
                !matches!(
                    it.uses,
                    OperandUse::Nothing | OperandUse::Keep(_) | OperandUse::Recursive
                )
            });
            if harmless && !told {
                wrong.push(format!("{}: --{name}", program.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 10, "{seen}");
}
