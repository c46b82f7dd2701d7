//! Symlinks in the place of modules of Python, which are loaded from where it runs.

use crate::house::{link, started, tried, unlink, with_secret};

/// Lines by which Python loads what lies where it runs.
const LINES: &[&str] = &[
    "python3 -m unittest",
    "python3 -m pytest",
    "python3 -m black --check a.py",
    "python3 -m mypy a.py",
    "python3 -m compileall a.py",
];

#[test]
fn any_name_in_the_folder_may_be_a_module_that_another_one_imports() {
    let house = with_secret("modules-any");
    house.put("out/__init__.py", "x = 1\n");
    house.put("project/lib/x.py", "x = 1\n");
    let policy = started(&house, "developer", "project");
    tried(&policy, &[], LINES);
    house.put("compiled/m.cpython-313.pyc", "x");
    house.put("native/__init__.abi3.so", "x");
    for (target, name) in [
        ("../out", "argparse"),
        ("../native", "argparse"),
        ("../compiled", "__pycache__"),
        ("../out/x.py", "argparse.abi3.so"),
        ("../out/x.py", "signal.pyc"),
        ("../out/x.py", "json.cpython-313-x86_64-linux-gnu.so"),
        ("prod.env", "signal.pyc"),
        ("../prod.env", "argparse/__init__.py"),
        ("../../out/x.py", "argparse/__init__.py"),
        ("../../out/x.py", "argparse/__init__.abi3.so"),
        ("../../out/x.py", "argparse/__main__.pyc"),
    ] {
        println!("{name} -> {target}");
        link(&house, target, name);
        tried(&policy, LINES, &["ls"]);
        unlink(&house, name);
    }
    // What is no module, and modules of the project.
    house.put("out/data.csv", "x");
    for (target, name) in [
        ("../compiled", "data"),
        ("../out", "data-sets"),
        ("../out", "v1.2"),
        ("../out/data.csv", "data"),
        ("lib", "argparse"),
        ("lib/x.py", "signal.py"),
        ("../lib/x.py", "argparse/__init__.py"),
        ("../../out/data.csv", "argparse/data.csv"),
    ] {
        println!("{name} -> {target}");
        link(&house, target, name);
        tried(&policy, &[], LINES);
        unlink(&house, name);
    }
}

#[test]
fn a_package_that_the_line_names_is_loaded_with_the_modules_in_it() {
    let house = with_secret("modules-named");
    let policy = started(&house, "developer", "project");
    house.put("project/real/x.py", "x = 1\n");
    for (target, name, asked) in [
        ("../../out/x.py", "pytest/__main__.py", "python3 -m pytest"),
        ("../../out/x.py", "pytest/m.py", "python3 -m pytest"),
        ("../../../out/x.py", "unittest/sub/m.py", "python3 -m unittest"),
        ("../../out", "unittest/sub", "python3 -m unittest"),
    ] {
        println!("{name} -> {target}");
        link(&house, target, name);
        tried(&policy, &[asked], &["ls"]);
        unlink(&house, name);
    }
    link(&house, "real", "black");
    tried(&policy, &[], &["python3 -m black --check a.py"]);
    link(&house, "../../out/x.py", "real/m.py");
    tried(&policy, &["python3 -m black --check a.py"], &["python3 -m mypy a.py"]);
}
