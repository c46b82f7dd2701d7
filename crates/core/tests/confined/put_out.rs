//! Files that a program replaces since an option names its output or its backup, and folders that it empties.

use std::fs;

use countersign_core::policy::Effect;

use super::brought::{OWN, wrong};
use super::{Project, others, own_verdict, project};

/// A project with folders, and with files in those that git does not have.
fn with_folders(name: &str) -> Project {
    let root = project(name);
    for folder in ["target", "node_modules", "lib/target", "lib/node_modules"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in ["a1", "sub/a.txt"] {
        fs::write(root.join(file), file).unwrap();
    }
    root
}

fn verdicts_differ(root: &Project, lines: &[&str], expected: Effect) -> Vec<String> {
    let by_own = wrong(root, OWN, lines, expected);
    // A preset lets well-known programs write in the project: here another program runs, too.
    let beside: Vec<String> = lines.iter().map(|line| format!("./x.sh; {line}")).collect();
    let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
    let by_preset = others(root, "developer", &beside, expected);
    by_own
        .into_iter()
        .chain(by_preset.into_iter().map(|line| format!("developer: {line}")))
        .collect()
}

#[test]
fn what_a_patch_replaces_or_deletes_is_asked_about() {
    let root = with_folders("patched");
    let asked = [
        "patch -o notes.txt kept.txt l.patch",
        "patch kept.txt -o notes.txt < l.patch",
        "patch --output=notes.txt kept.txt l.patch",
        "patch -r notes.txt kept.txt l.patch",
        "patch -b -z 1 a l.patch",
        "patch -b -z 1 < l.patch",
        "patch -b -B u kept.txt l.patch",
        "patch -b -Y un/ -V simple kept.txt l.patch",
        "patch notes.txt l.patch",
        "patch notes.txt < l.patch",
        "patch -d sub own.txt < l.patch",
        "patch -p1 --verbose < l.patch",
        "patch --dry-run -o x < l.patch; ./x.sh > notes.txt",
    ];
    assert_eq!(verdicts_differ(&root, &asked, Effect::Ask), [""; 0]);
    let runs = [
        "patch kept.txt l.patch",
        "patch -b kept.txt l.patch",
        "patch -o new.txt kept.txt l.patch",
        "patch -b -z .bak kept.txt l.patch",
        "patch --version",
        "patch --help",
        "patch -v",
        "patch -p1 --dry-run < l.patch",
        "patch --dry-run -p1 -i l.patch",
        "patch -R -p1 -s --dry-run -d sub < l.patch",
    ];
    assert_eq!(verdicts_differ(&root, &runs, Effect::Allow), [""; 0]);
    fs::write(root.join("kept.txt.orig"), "own").unwrap();
    assert_eq!(wrong(&root, OWN, &["patch -b kept.txt l.patch"], Effect::Ask), [""; 0]);
}

#[test]
fn what_an_output_or_a_backup_of_an_option_replaces_is_asked_about() {
    let root = with_folders("put-out");
    let asked = [
        "sed -i'sub/*' s/a/b/ a.txt",
        "sed -i1 s/a/b/ a",
        "sed -i'*1' s/a/b/ a",
        "perl -pi1 -e s/a/b/ a",
        "perl -p -i1 -e s/a/b/ a",
        "perl -i'sub/*' -pe s/a/b/ a.txt",
        "perl -i1 x.pl a",
        "ruby -pi1 -e 'gsub(/a/,%q(b))' a",
        "openssl rand -out notes.txt 4",
        "openssl req -x509 -newkey rsa -keyout notes.txt -out new.pem",
        "pytest --junitxml=notes.txt",
        "pytest --cov=x --cov-report=xml:notes.txt",
        "pytest --basetemp=sub",
        "pytest --basetemp sub",
        "python3 -m pytest --basetemp=sub",
        "go test -coverprofile=notes.txt ./...",
        "go test -cpuprofile notes.txt",
        "eslint -o notes.txt .",
        "ruff check -o notes.txt",
        "jest --json --outputFile=notes.txt",
        "mypy --junit-xml=notes.txt x.py",
        "phpunit --log-junit notes.txt",
        "node --test --test-reporter=tap --test-reporter-destination=notes.txt",
        "node --cpu-prof --cpu-prof-name=notes.txt x.js",
        "pip install --report notes.txt x",
        "uv pip compile x.in -o notes.txt",
        "virtualenv --clear sub",
        "uv venv --clear sub",
        "python3 -m virtualenv --clear sub",
        "command time -o notes.txt ./x.sh",
        "cmake -E rm notes.txt",
        "cmake -E rm -f notes.txt",
        "cmake -E remove notes.txt",
        "cmake -E remove_directory sub",
        "cmake -E rm -r sub",
        "cmake -E copy kept.txt notes.txt",
        "cmake -E copy_if_different kept.txt notes.txt",
        "cmake -E copy_directory lib sub",
        "cmake -E rename kept.txt notes.txt",
        "cmake -E tar cf notes.txt kept.txt",
        "cmake -E env A=1 rm notes.txt",
        "cmake -E time rm notes.txt",
        "cmake -E chdir sub rm own.txt",
        "cmake -E create_symlink kept.txt notes.txt",
        "python3 -m zipfile -c notes.txt kept.txt",
        "python3 -m zipfile --create notes.txt kept.txt",
        "python3 -m zipfile -e z.zip sub",
        "python3 -m tarfile -c notes.txt kept.txt",
        "python3 -m tarfile -e t.tar sub",
        "python3 -m tarfile -e t.tar new; : > new/sl; ./x.sh > notes.txt",
        "python3 -m zipapp sub -o notes.txt -m f:f",
        "python3 -m json.tool n.json notes.txt",
        "python3 -m cProfile -o notes.txt -m this",
        "python3 -m cProfile -o notes.txt x.py",
        "python3 -m profile -o notes.txt x.py",
    ];
    assert_eq!(verdicts_differ(&root, &asked, Effect::Ask), [""; 0]);
    let runs = [
        "sed -i.bak s/a/b/ notes.txt",
        "perl -pi -e s/a/b/ notes.txt",
        "perl -pi.bak -e s/a/b/ notes.txt",
        "openssl rand -out new.txt 4",
        "openssl rand -hex 4",
        "pytest --junitxml=new.xml",
        "pytest --junitxml=kept.txt",
        "pytest --cov=x --cov-report=term-missing",
        "pytest --cov=x --cov-report=html:new",
        "go test -coverprofile=new.out ./...",
        "go build -o a1 .",
        "gcc -o a1 x.c",
        "rustc -o a1 x.rs",
        "virtualenv .venv",
        "virtualenv new",
        "cmake -E tar cf new.tar kept.txt",
        "cmake -E make_directory new",
        "cmake -E touch notes.txt",
        "cmake -E copy kept.txt new.txt",
        "cmake -E echo x",
        "cmake -E env A=1 ./x.sh",
        "cmake -E time ./x.sh",
        "cmake -B build -S .",
        "python3 -m zipfile -c new.zip notes.txt",
        "python3 -m zipfile -l z.zip",
        "python3 -m zipfile -e z.zip new",
        "python3 -m tarfile -l t.tar",
        "python3 -m tarfile -e t.tar new",
        "python3 -m zipapp lib -o new.pyz -m f:f",
        "python3 -m json.tool notes.txt",
        "python3 -m json.tool notes.txt new.json",
        "python3 -m cProfile x.py",
        "python3 -m cProfile -s time x.py",
        "python3 -m cProfile -o new.prof x.py",
    ];
    assert_eq!(verdicts_differ(&root, &runs, Effect::Allow), [""; 0]);
    let runs = ["pytest --basetemp=/tmp/x", "uv venv"];
    assert_eq!(wrong(&root, OWN, &runs, Effect::Allow), [""; 0]);
}

#[test]
fn what_a_patch_or_a_module_of_python_copies_is_read() {
    let root = project("copied");
    fs::create_dir_all(root.join("secrets")).unwrap();
    fs::write(root.join("secrets/s.txt"), "s").unwrap();
    let by_name = "[[rule]]\neffect = \"allow\"\ncommands = [\"patch\", \"python3\"]\n\
        [[rule]]\neffect = \"allow\"\nwrites = [\"**\"]\n\
        [[rule]]\neffect = \"allow\"\nconfined = \"project\"\n\
        [[rule]]\neffect = \"deny\"\nreads = [\"**/secrets/**\"]";
    let not_allowed = |line: &&&str| own_verdict(&root, by_name, line).effect == Effect::Allow;
    let read = ["patch -p1 -i c.patch", "patch < c.patch", "python3 -m zipfile -c x.zip ."];
    assert_eq!(read.iter().filter(not_allowed).collect::<Vec<_>>(), [&""; 0]);
}

#[test]
fn what_a_script_in_a_word_of_a_program_deletes_is_asked_about() {
    let root = project("scripted");
    let asked = [
        "sed '1e rm notes.txt' kept.txt",
        "sed -n '1!{e rm notes.txt\n}' kept.txt",
        "tar cf x.tar kept.txt --checkpoint=1 --checkpoint-action=exec='rm notes.txt'",
        "tar xf t.tar --to-command='rm notes.txt'",
        "split --filter='rm notes.txt' kept.txt",
        "script -qc 'rm notes.txt' /dev/null",
        "hyperfine 'rm notes.txt'",
    ];
    assert_eq!(verdicts_differ(&root, &asked, Effect::Ask), [""; 0]);
    let runs = [
        "sed '1e echo x' kept.txt",
        "split --filter='gzip > new.gz' kept.txt",
        "script -qc './x.sh --all' /dev/null",
        "hyperfine './x.sh 1'",
    ];
    assert_eq!(verdicts_differ(&root, &runs, Effect::Allow), [""; 0]);
}

#[test]
fn a_folder_that_is_emptied_under_another_name_takes_away_what_was_put_there() {
    let root = with_folders("emptied-too");
    let asked = [
        "mv notes.txt target/ && cargo +stable clean",
        "mv notes.txt target/ && cargo --quiet clean",
        "mv notes.txt target/ && cargo +nightly -q clean --release",
        "mv notes.txt lib/target/ && cargo clean --manifest-path lib/Cargo.toml",
        "mv notes.txt lib/target/ && cargo clean --manifest-path=lib/Cargo.toml",
        "cargo clean --target-dir sub",
        "cargo clean --target-dir=sub",
        "cargo clean --config 'build.target-dir=\"sub\"'",
        "CARGO_TARGET_DIR=sub cargo clean",
        "env CARGO_TARGET_DIR=sub cargo clean",
        "export CARGO_BUILD_TARGET_DIR=sub; cargo clean",
        "mv notes.txt node_modules/ && npm cit",
        "mv notes.txt node_modules/ && npm install-ci-test",
        "mv notes.txt node_modules/ && npm clean-install-test",
        "mv notes.txt node_modules/ && npm install-clean",
        "mv notes.txt node_modules/ && npm sit",
        "mv notes.txt lib/node_modules/ && npm ci --prefix lib",
        "mv notes.txt lib/node_modules/ && npm -C lib ci",
    ];
    assert_eq!(wrong(&root, OWN, &asked, Effect::Ask), [""; 0]);
    let runs = [
        "cargo clean",
        "cargo +stable clean",
        "cargo +nightly build",
        "cargo clean --target-dir target/x",
        "CARGO_TARGET_DIR=sub cargo build",
        "npm cit",
        "npm it",
        "npm ci --prefix lib",
    ];
    assert_eq!(wrong(&root, OWN, &runs, Effect::Allow), [""; 0]);
    fs::create_dir_all(root.join(".cargo")).unwrap();
    fs::write(root.join(".cargo/config.toml"), "[build]\ntarget-dir=\"sub\"\n").unwrap();
    assert_eq!(wrong(&root, OWN, &["cargo clean", "cd lib && cargo clean"], Effect::Ask), [""; 0]);
    assert_eq!(wrong(&root, OWN, &["cargo build"], Effect::Allow), [""; 0]);
}
