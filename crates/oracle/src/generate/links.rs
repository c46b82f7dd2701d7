//! Symlinks that a script makes, and uses of their targets.

use fastrand::Rng;

use super::pick;

/// A link that is made, and a use of its target.
pub(super) fn linked(rng: &mut Rng) -> String {
    let target = pick(
        rng,
        &[
            "../src",
            "/work/src",
            "/etc",
            "../a.txt",
            "/work",
            "..",
            ".",
            "link",
            "/home/u/.profile",
            "src",
            "nosuch",
            "../out",
        ],
    );
    let name = pick(
        rng,
        &["out/l", "out/n", "./out/l", "/work/out/l", "out/l/", "out", "out/link", "out/flink"],
    );
    let make = match rng.u8(..12) {
        0..3 => format!("ln -s {target} {name}"),
        3 => format!("ln -sfn {target} {name}"),
        4 => format!("ln -sf {target} {name}"),
        5 => format!("ln {} {name}", pick(rng, &["a.txt", "src/f.c", "/home/u/.profile", "l.txt"])),
        6 => format!("cp -a {} {name}", pick(rng, &["out/link", "l.txt", "link", "out"])),
        7 => format!(
            "cp -{} {} {name}",
            pick(rng, &["P", "d", "s", "l", "r", "rs", "RP", "R"]),
            pick(rng, &["a.txt", "src/f.c", "l.txt", "link", "src"])
        ),
        8 => format!("mv out/link {name}"),
        9 => format!("mv -T out/flink {name}"),
        10 => format!(
            "cp --{} {name}",
            pick(
                rng,
                &[
                    "symbolic-link /work/a.txt",
                    "link a.txt",
                    "no-dereference link",
                    "archive l.txt",
                    "preserve=links link"
                ]
            )
        ),
        _ => format!("ln -st out {target}"),
    };
    let path = pick(
        rng,
        &[
            "out/l/x",
            "out/l/f.c",
            "out/l",
            "out/n/hosts",
            "out/link/x",
            "out/flink",
            "out/src/x",
            "out/l/../x",
            "out/etc/hosts",
            "out/l.txt",
            "out/a.txt",
        ],
    );
    let used = match rng.u8(..9) {
        0..3 => format!("echo hi > {path}"),
        3 => format!("cp b.txt {path}"),
        4 => format!("mv out/x {path}"),
        5 => format!("sort -o {path} b.txt"),
        6 => format!("awk 'BEGIN {{ print > \"{path}\" }}'"),
        7 => format!("cd out/l; echo hi > {}", pick(rng, &["x", "../x", "/work/out/x", "f.c"])),
        _ => format!("sed -i p {path}"),
    };
    match rng.u8(..6) {
        0 => used,
        1 => make,
        _ => format!("{make}{} {used}", pick(rng, &[";", " &&", "\n", " |", " &"])),
    }
}
