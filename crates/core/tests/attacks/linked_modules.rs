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
        ("../out/data.csv", "data"),
        ("../compiled", "data"),
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
    // A folder with tests, whose name no module has.
    for (target, name) in [("../out", "data-sets"), ("../out", "v1.2")] {
        println!("{name} -> {target}");
        link(&house, target, name);
        tried(&policy, &LINES[..2], &LINES[2..]);
        unlink(&house, name);
    }
    // Without `__init__` only pytest goes into it.
    house.put("plain/test_x.py", "x = 1\n");
    link(&house, "../plain", "data-sets");
    tried(&policy, &[LINES[1]], &[LINES[0], LINES[2]]);
}

#[test]
fn tests_load_what_lies_on_the_way_to_them() {
    let house = with_secret("modules-way");
    for name in ["pkg", "pkg/sub", "my-pkg", "pkg/my-sub"] {
        house.put(&format!("project/{name}/test_a.py"), "x = 1\n");
    }
    house.put("project/pkg/__init__.py", "");
    let policy = started(&house, "developer", "project");
    let on_way = [
        "python3 -m unittest pkg/sub/test_a.py",
        "python3 -m pytest pkg/sub/test_a.py",
        "pytest pkg/sub/test_a.py",
        "pytest pkg/sub/test_a.py::test_x",
        "pytest pkg/sub",
        "poetry run pytest pkg/sub/test_a.py",
    ];
    let by_name = ["python3 -m unittest my-pkg/test_a.py", "python3 -m unittest my-pkg.test_a"];
    let deeper =
        ["python3 -m unittest pkg.my-sub.test_a", "python3 -m unittest pkg/my-sub/test_a.py"];
    tried(&policy, &[], &[on_way[0], on_way[1], on_way[2], by_name[0], deeper[1]]);
    for (name, lines) in [
        ("pkg/sub/__init__.py", &on_way[..]),
        ("pkg/sub/__init__.pyc", &on_way[..]),
        ("pkg/sub/conftest.py", &on_way[1..]),
        ("pkg/conftest.py", &on_way[1..]),
        ("conftest.py", &on_way[1..]),
        ("my-pkg/__init__.py", &by_name[..]),
        ("pkg/my-sub/__init__.py", &deeper[..]),
    ] {
        let up = "../".repeat(name.matches('/').count());
        for target in ["prod.env", "../out/x.py"] {
            println!("{name} -> {target}");
            link(&house, &format!("{up}{target}"), name);
            tried(&policy, lines, &["ls"]);
            unlink(&house, name);
        }
    }
    // Another folder is not on the way.
    link(&house, "../../out/x.py", "my-pkg/__init__.py");
    tried(&policy, &[], &["pytest pkg/sub/test_a.py", "python3 -m unittest pkg/sub/test_a.py"]);
}

#[test]
fn tests_that_are_found_may_lie_in_any_folder_below() {
    let house = with_secret("modules-found");
    house.put("project/pkg/__init__.py", "");
    house.put("out/data/a.csv", "x");
    house.put("out/module/deep/test_x.py", "x = 1\n");
    let policy = started(&house, "developer", "project");
    let lines = [
        "python3 -m unittest",
        "python3 -m unittest discover",
        "python3 -m unittest -v",
        "pytest",
        "pytest -q",
        "python3 -m pytest",
    ];
    tried(&policy, &[], &lines);
    for name in ["pkg/sub/__init__.py", "t2/test_b.py", "t2/conftest.py", "vendor/x/test_b.py"] {
        let up = "../".repeat(name.matches('/').count());
        for target in ["prod.env", "../out/x.py"] {
            println!("{name} -> {target}");
            link(&house, &format!("{up}{target}"), name);
            tried(&policy, &lines, &["ls"]);
            unlink(&house, name);
        }
    }
    link(&house, "../../out/module", "t2/more");
    tried(&policy, &lines[3..], &lines[..3]);
    // A symlink that leads nowhere hides no other one.
    link(&house, "loop", "t2/loop");
    tried(&policy, &lines[3..], &lines[..3]);
    unlink(&house, "t2/loop");
    unlink(&house, "t2/more");
    // Data, and what no runner of tests goes into.
    for (target, name) in [
        ("../../out/data", "t2/data"),
        ("../../out/data/a.csv", "t2/a.csv"),
        ("../../a.py", "t2/in/test_a.py"),
        ("../../out/x.py", "node_modules/x.py"),
        ("../../out/x.py", ".venv/x.py"),
        ("../../out/x.py", ".tox/x.py"),
    ] {
        println!("{name} -> {target}");
        link(&house, target, name);
        tried(&policy, &[], &lines);
        unlink(&house, name);
    }
    house.put("project/env/pyvenv.cfg", "x");
    link(&house, "../../../out/x.py", "env/lib/x.py");
    tried(&policy, &[], &lines);
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

#[test]
fn what_is_compiled_counts_in_each_folder_on_the_way_to_a_test() {
    let house = with_secret("compiled-on-the-way");
    house.put("project/tests/test_a.py", "x = 1\n");
    house.put("project/tests/__init__.py", "");
    house.put("compiled/__init__.cpython-313.pyc", "x");
    let policy = started(&house, "developer", "project");
    let lines = ["pytest tests/test_a.py", "python3 -m unittest tests/test_a.py"];
    tried(&policy, &[], &lines);
    for (target, name) in [
        ("../../compiled", "tests/__pycache__"),
        ("../compiled", "__pycache__"),
        (
            "../../../compiled/__init__.cpython-313.pyc",
            "tests/__pycache__/__init__.cpython-313.pyc",
        ),
    ] {
        println!("{name} -> {target}");
        link(&house, target, name);
        tried(&policy, &lines, &["ls"]);
        unlink(&house, name);
    }
}
