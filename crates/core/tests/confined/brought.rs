//! Files that a line takes away by what an archive, a patch or a program brings along: links, and folders that are emptied.

use std::fs;
use std::path::Path;

use countersign_core::policy::Effect;

use super::{others, own_verdict, project};

/// A rule of one's own, which lets confined commands run.
pub(super) const OWN: &str = "[[rule]]\neffect = \"allow\"\nconfined = \"project\"";

pub(super) fn wrong(root: &Path, toml: &str, lines: &[&str], expected: Effect) -> Vec<String> {
    let verdicts = lines.iter().map(|line| (line, own_verdict(root, toml, line)));
    let wrong = verdicts.filter(|(_, verdict)| verdict.effect != expected);
    wrong.map(|(line, it)| format!("{line}: {:?}: {}", it.effect, it.reason)).collect()
}

#[test]
fn what_is_written_through_a_link_that_an_archive_or_a_patch_brings_is_asked_about() {
    let root = project("brought");
    fs::create_dir_all(root.join("src")).unwrap();
    std::os::unix::fs::symlink("notes.txt", root.join("sl")).unwrap();
    let asked = [
        "tar cf - sl | tar xf - -C src; ./x.sh > src/sl",
        "tar xf t.tar -C src; : > src/sl",
        "tar -xzf t.tgz --directory=src; ./x.sh > src/sl",
        "tar xf t.tar -C src && ./x.sh | tee src/U/f",
        "tar xf t.tar -C src; cp kept.txt src/sl",
        "tar xf t.tar -C src; mv kept.txt src/U/f",
        "unzip -q z.zip -d src; ./x.sh > src/sl",
        "7z x -osrc z.7z; ./x.sh > src/sl",
        "cd src && patch -sp1 < ../l.patch; ../x.sh > q",
        "patch -d src -p1 -i l.patch; ./x.sh > src/q",
        "cd src && cpio -id < ../t.cpio; ../x.sh > q",
        "cd src && unrar x ../t.rar; ../x.sh > q",
        "rsync -a --link-dest=../sub sub/ U2; ./x.sh > U2/own.txt",
    ];
    assert_eq!(wrong(&root, OWN, &asked, Effect::Ask), [""; 0]);
    assert_eq!(others(&root, "developer", &asked, Effect::Ask), [""; 0]);
    let runs = [
        "tar xf t.tar -C src; ./x.sh > out.log",
        "tar xf t.tar -C src; ./x.sh >> src/q",
        "tar tf t.tar; ./x.sh > src/q",
        "tar xOf t.tar > src/q",
        "tar cf t.tar src; ./x.sh > src/q",
        "unzip -q z.zip -d src; cat src/q",
        "unzip -l z.zip; ./x.sh > src/q",
        "7z l z.7z; ./x.sh > src/q",
        "cd src && unrar l ../t.rar",
        "patch -d src -p1 -i l.patch",
        "rsync -a src/ U2; ./x.sh > U2/q",
    ];
    assert_eq!(wrong(&root, OWN, &runs, Effect::Allow), [""; 0]);
}

#[test]
fn what_empties_a_folder_takes_away_what_was_put_there() {
    let root = project("emptied");
    for folder in ["target", "node_modules", ".venv", "v"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    let asked = [
        "mv notes.txt target/ && cargo clean",
        "mv notes.txt node_modules/ && npm ci",
        "mv notes.txt .venv/ && python3 -m venv --clear .venv",
        "python3 -m venv --clear sub",
        "python3 -m venv sub --clear",
        "patch -p1 < l.patch",
        "patch -p1 -i l.patch",
    ];
    assert_eq!(wrong(&root, OWN, &asked, Effect::Ask), [""; 0]);
    assert_eq!(others(&root, "developer", &asked, Effect::Ask), [""; 0]);
    let runs = [
        "cargo clean",
        "npm ci",
        "python3 -m venv .venv",
        "python3 -m venv --clear .venv",
        "python3 -m venv new",
        "patch kept.txt l.patch",
    ];
    assert_eq!(wrong(&root, OWN, &runs, Effect::Allow), [""; 0]);
}
