//! Files that run with the rights of their owner, and what programs write where their settings say.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use countersign_core::policy::Effect;

use crate::house::{House, own, started, tried, verdict};
use crate::skip::skipped;

#[test]
fn no_file_gets_the_rights_of_its_owner_unasked() {
    let house = House::new("setuid");
    let policy = started(&house, "developer", "project");
    house.put("project/tool/a", "x");
    house.put("project/tool/deep/b.sh", "x");
    tried(
        &policy,
        &["chmod --reference=tool/a +x", "chmod +x --reference=tool/a x", "mkdir -m 4777 x"],
        &["chmod +x tool/a", "cp -p tool/a x", "cp -a tool x", "mkdir -p -m 755 x", "cp tool/a x"],
    );
    let file = house.root.join("project/tool/deep/b.sh");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o4755)).unwrap();
    tried(
        &policy,
        &[
            "cp -p tool/deep/b.sh x",
            "cp --preserve=mode tool/deep/b.sh x",
            "cp -a tool x",
            "cp -rp tool x",
            "cp -p tool/deep/*.sh x",
            "cp -t x -p tool/deep/b.sh",
        ],
        &["cp tool/deep/b.sh x", "cp -r tool x", "cp -p tool/a x"],
    );
}

#[test]
fn a_compiler_writes_and_deletes_nothing_outside_of_the_project_unasked() {
    let house = House::new("tsconfig");
    for link in ["keys", "key", "h/f", "ol", "d/l", "dst/c", "-out", "sub/00Tree.html"] {
        fs::remove_file(house.root.join("project").join(link)).unwrap();
    }
    symlink("../out", house.root.join("project/led")).unwrap();
    fs::remove_file(house.root.join("project/led")).unwrap();
    let policy = started(&house, "developer", "project");
    let out = house.at("out");
    house.put("project/packages/a/tsconfig.json", r#"{"compilerOptions":{"outDir":"../../dist"}}"#);
    house.put("project/base.json", r#"{"compilerOptions":{"outDir":"dist"}}"#);
    house.put("project/bad.json", r#"{"compilerOptions":{"outDir":"../x"}}"#);
    house.put("project/node_modules/@x/c/tsconfig.json", "{}");
    for settings in [
        r#"{"compilerOptions":{"outDir":"../x"}}"#.to_owned(),
        format!(r#"{{"compilerOptions":{{"outFile":"{out}/x.js"}}}}"#),
        format!(r#"{{"compilerOptions":{{"tsBuildInfoFile":"{out}/.profile"}}}}"#),
        r#"{"compilerOptions":{"declarationDir":"a/../../x"}}"#.to_owned(),
        r#"{"compilerOptions":{"outDir":"${configDir}/../x"}}"#.to_owned(),
        r#"{"compilerOptions":{"o\u0075tDir":"../x"}}"#.to_owned(),
        r#"{"include":["../x/**/*.ts"]}"#.to_owned(),
        r#"{"files":["../x.ts"]}"#.to_owned(),
        r#"{"extends":"./bad"}"#.to_owned(),
        r#"{"extends":["./base.json","./bad.json"]}"#.to_owned(),
        r#"{"extends":"@y/missing/tsconfig.json"}"#.to_owned(),
        r#"{"references":[{"path":"bad.json"}]}"#.to_owned(),
        r#"{"references":[{"path":"../out"}]}"#.to_owned(),
        "{compilerOptions: {outDir: '../x'}}".to_owned(),
    ] {
        house.put("project/tsconfig.json", settings);
        tried(
            &policy,
            &["tsc", "tsc -p .", "tsc -b", "tsc --noEmit false", "cd src && tsc", "tsc --noEmit"],
            &["tsc --version"],
        );
    }
    for settings in [
        "{ // where\n \"compilerOptions\": {\"outDir\": \"dist\", \"strict\": true,},}",
        r#"{"extends":"./base","include":["src/**/*"],"exclude":["../x"]}"#,
        r#"{"extends":"@x/c/tsconfig.json","compilerOptions":{"outDir":"${configDir}/dist"}}"#,
        r#"{"references":[{"path":"packages/a"},{"path":"./base.json"}]}"#,
    ] {
        house.put("project/tsconfig.json", settings);
        tried(
            &policy,
            &[
                "tsc -b --clean",
                "tsc --noEmit -p bad.json",
                "vitest --clearCache",
                // What it makes of sources lies where they are imported from.
                "tsc",
                "tsc -p .",
                "tsc -b",
                "tsc -p packages/a",
                "tsc --noEmit null",
                // The line brings the settings.
                "cp bad.json tsconfig.json && tsc --noEmit",
                "echo '{}' > tsconfig.json; tsc --noEmit",
                "cp -r src/. . && tsc --noEmit",
            ],
            &[
                "tsc --noEmit",
                "tsc --noEmit -p packages/a",
                "tsc -b --noEmit",
                "mkdir -p x && tsc --noEmit",
            ],
        );
    }
    // It keeps what it knows for the next time, also where it makes nothing of the sources.
    for settings in [
        r#"{"compilerOptions":{"incremental":true,"tsBuildInfoFile":"../x/.bashrc"}}"#,
        r#"{"extends":"./begun"}"#,
    ] {
        house.put("project/tsconfig.json", settings);
        // The compiler takes the file of the very name, and not `begun.json`.
        house.put("project/begun", r#"{"compilerOptions":{"tsBuildInfoFile":"../x"}}"#);
        house.put("project/begun.json", "{}");
        tried(&policy, &["tsc --noEmit", "npx --no-install tsc --noEmit"], &["tsc --version"]);
    }
    house.put("project/tsconfig.json", r#"{"compilerOptions":{"outDir":"dist"}}"#);
    symlink("../out", house.root.join("project/dist")).unwrap();
    tried(&policy, &["tsc", "tsc --noEmit"], &["tsc --version"]);
}

#[test]
fn what_a_compiler_keeps_for_the_next_time_is_a_write_wherever_it_lies() {
    let house = House::new("buildinfo");
    for link in ["keys", "key", "h/f", "ol", "d/l", "dst/c", "-out", "sub/00Tree.html"] {
        fs::remove_file(house.root.join("project").join(link)).unwrap();
    }
    house.put("home/.bashrc", "alias x=y");
    house.put("project/src/a/b/c/a.ts", "export {}");
    let policy = started(&house, "developer", "project");
    let lines = ["tsc --noEmit", "tsc --noEmit -p .", "tsc -b --noEmit"];
    // What is protected is asked about, and what lies outside of the project, with any setting that names it.
    for options in [
        r#""incremental":true,"tsBuildInfoFile":".git/config""#,
        r#""tsBuildInfoFile":"${configDir}/.git/hooks/pre-commit""#,
        r#""composite":true,"tsBuildInfoFile":".vscode/settings.json""#,
        r#""incremental":true,"generateCpuProfile":".git/hooks/pre-commit""#,
        r#""incremental":true,"generateTrace":".github/workflows""#,
        r#""incremental":true,"outDir":"out","rootDir":"src/a/b/c""#,
        r#""composite":true,"outDir":"${configDir}/out","rootDir":"./src/a""#,
        r#""incremental":true,"outFile":".git/x.js""#,
        r#""incremental":true,"writesToAnywhere":"x""#,
    ] {
        house.put("project/tsconfig.json", format!("{{\"compilerOptions\":{{{options}}}}}"));
        tried(&policy, &lines, &["tsc --version"]);
    }
    house.put(
        "project/tsconfig.json",
        r#"{"compilerOptions":{"incremental":true,"rootDir":"src"}}"#,
    );
    tried(&policy, &["tsc --noEmit --outDir out --rootDir src/a/b/c"], &lines);
    let denied = own(
        r#"{"effect":"allow","commands":["tsc"]},{"effect":"deny","writes":["**/*.tsbuildinfo"]}"#,
    );
    tried(&started(&house, &denied, "project"), &lines, &["tsc --version"]);
    // By its usual name a symlink stands there.
    let named = house.root.join("project/tsconfig.tsbuildinfo");
    symlink("../home/.bashrc", &named).unwrap();
    tried(&policy, &lines, &["tsc --version"]);
    let all = own(r#"{"effect":"allow","commands":["tsc"]}"#);
    tried(&started(&house, &all, "project"), &lines, &["tsc --version"]);
    house.put("project/tsconfig.json", "{}");
    tried(
        &policy,
        &["tsc --noEmit -i", "tsc --noEmit --incremental", "tsc -b --noEmit"],
        &lines[..2],
    );
    fs::remove_file(&named).unwrap();
    symlink(".git/config", &named).unwrap();
    tried(&policy, &["tsc --noEmit --composite", "tsc -b --noEmit"], &lines[..2]);
}

#[test]
fn a_folder_in_the_place_of_a_tracked_file_is_not_lost_to_a_stash_unasked() {
    let house = House::new("stashed");
    house.track(&["foo"]);
    house.put("project/foo/x", "kept nowhere");
    let policy = started(&house, "developer", "project");
    tried(&policy, &["git stash", "git stash push -m x", "git stash -- src"], &["git stash list"]);
}

#[test]
fn files_that_options_name_or_compare_are_read() {
    let house = House::new("compared");
    let wide = own(
        r#"{"effect":"allow","commands":["zip","tar","curl","wget"],"writes":["/**"],"urls":["*"]},{"effect":"deny","reads":["**/.env"]}"#,
    );
    tried(
        &started(&house, &wide, "project"),
        &[
            "zip a.zip src -i@.env",
            "zip a.zip src -x@.env",
            "zip a.zip src -x a @.env",
            "tar -df a.tar",
            "tar df a.tar",
            "tar --compare -f a.tar .env",
            "tar --diff -f a.tar -C ../project",
            "curl --pinnedpubkey .env https://a.example",
            "curl --proxy-pinnedpubkey .env https://a.example",
            "wget --pinnedpubkey=.env https://a.example",
        ],
        &[
            "zip a.zip src/c -x@names",
            "tar -tf a.tar",
            "curl --pinnedpubkey sha256//abc= https://a.example",
        ],
    );
}

/// Where TypeScript is not installed, this says so and tries nothing.
#[test]
fn a_compiler_that_really_writes_outside_of_the_project_was_asked_about() {
    let compiler = concat!(env!("CARGO_MANIFEST_DIR"), "/../../node_modules/.bin/tsc");
    if !std::path::Path::new(compiler).exists() {
        skipped(format!("there is no {compiler}"));
        return;
    }
    for (options, leaves) in [
        (r#""incremental":true,"outDir":"out","rootDir":"src/a""#, true),
        (r#""composite":true,"outDir":"${configDir}/out","rootDir":"src/a""#, true),
        (r#""incremental":true,"outDir":"out","rootDir":"src""#, false),
        (r#""incremental":true,"outDir":"out""#, false),
        (r#""outDir":"out","rootDir":"src/a""#, false),
    ] {
        let house = House::new("compiled");
        for link in ["keys", "key", "h/f", "ol", "d/l", "dst/c", "-out", "sub/00Tree.html"] {
            fs::remove_file(house.root.join("project").join(link)).unwrap();
        }
        house.put("project/src/a/b.ts", "export const x = 1;");
        house.put(
            "project/tsconfig.json",
            format!("{{\"compilerOptions\":{{{options}}},\"files\":[\"src/a/b.ts\"]}}"),
        );
        let (effect, reason) =
            verdict(&started(&house, "developer", "project"), "bash", "tsc --noEmit");
        let mut command = std::process::Command::new(compiler);
        command.arg("--noEmit").current_dir(house.root.join("project")).output().unwrap();
        let left = house.root.join("tsconfig.tsbuildinfo").exists();
        assert_eq!(left, leaves, "{options}");
        assert_eq!(effect != Effect::Allow, leaves, "{options}: {reason}");
    }
}
